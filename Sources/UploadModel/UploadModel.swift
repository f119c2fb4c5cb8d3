// UploadModel
