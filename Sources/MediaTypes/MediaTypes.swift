// MediaTypes
