// MultipartForm
