<?php
// Keeps what is uploaded in the folder KEEP and answers with what PHP saw of it.
$seen = [];
foreach ($_FILES as $field => $file) {
    $path = getenv('KEEP') . '/' . uniqid('php-', true);
    if ($file['error'] === UPLOAD_ERR_OK) {
        move_uploaded_file($file['tmp_name'], $path);
    }
    $seen[] = [
        'field' => $field, 'name' => $file['name'], 'type' => $file['type'], 'stored' => $path,
        'size' => $file['size'], 'sha256' => hash_file('sha256', $path),
    ];
}
header('Content-Type: application/json');
echo json_encode(
    ['files' => $seen, 'fields' => (object) $_POST, 'token' => $_SERVER['HTTP_X_TOKEN'] ?? null],
    JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);
