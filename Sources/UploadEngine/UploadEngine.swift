// UploadEngine
