extension NameTable {
  /// The table for a machine without any table of its own.
  ///
  /// Each type is the one registered with IANA (https://www.iana.org/assignments/media-types) if there is one,
  /// otherwise the `x-` name that shared-mime-info and file(1) agree on. The format is that of `/etc/mime.types`, a
  /// type and its extensions, so that one reader serves both.
  public static let builtIn = NameTable(
    title: "built-in",
    mimeTypes: """
      application/atom+xml atom
      application/dash+xml mpd
      application/dicom dcm dicom
      application/epub+zip epub
      application/geo+json geojson
      application/geopackage+sqlite3 gpkg
      application/gpx+xml gpx
      application/graphql graphql
      application/gzip gz tgz tar.gz vcf.gz
      application/illustrator ai
      application/java-archive jar war ear
      application/java-vm class
      application/json json topojson map har
      application/jsonl jsonl
      application/ld+json jsonld
      application/manifest+json webmanifest
      application/mathml+xml mml mathml
      application/mbox mbox
      application/msaccess mdb accdb
      application/msix msix
      application/msword doc dot
      application/mxf mxf
      application/n-quads nq
      application/n-triples nt
      application/octet-stream aab ipa img bin dex fbx max db orc rds pkl pickle onnx safetensors gguf evtx nii nrrd
      application/onenote one
      application/oxps oxps
      application/pdf pdf
      application/pgp-encrypted gpg pgp
      application/pgp-keys asc
      application/pgp-signature sig
      application/pkcs10 csr
      application/pkcs7-mime p7c p7m
      application/pkcs7-signature p7s
      application/pkix-cert cer
      application/pkix-crl crl
      application/postscript eps ps
      application/rdf+xml rdf owl
      application/rss+xml rss
      application/rtf rtf
      application/sql sql
      application/toml toml
      application/trig trig
      application/vnd.adobe.flash.movie swf
      application/vnd.amazon.ebook azw
      application/vnd.amazon.mobi8-ebook azw3
      application/vnd.android.package-archive apk xapk
      application/vnd.apache.arrow.file arrow feather
      application/vnd.apache.avro avro
      application/vnd.apache.parquet parquet
      application/vnd.appimage appimage
      application/vnd.apple.keynote key
      application/vnd.apple.mpegurl m3u8
      application/vnd.apple.numbers numbers
      application/vnd.apple.pages pages
      application/vnd.coffeescript coffee
      application/vnd.comicbook+zip cbz
      application/vnd.comicbook-rar cbr
      application/vnd.corel-draw cdr
      application/vnd.dbf dbf
      application/vnd.debian.binary-package deb udeb
      application/vnd.flatpak flatpak
      application/vnd.garmin.tcx+xml tcx
      application/vnd.google-earth.kml+xml kml
      application/vnd.google-earth.kmz kmz
      application/vnd.las las
      application/vnd.laszip laz
      application/vnd.microsoft.portable-executable exe dll
      application/vnd.mozilla.xul+xml xul
      application/vnd.ms-cab-compressed cab
      application/vnd.ms-excel xls xlt
      application/vnd.ms-excel.sheet.binary.macroenabled.12 xlsb
      application/vnd.ms-excel.sheet.macroenabled.12 xlsm
      application/vnd.ms-excel.template.macroenabled.12 xltm
      application/vnd.ms-fontobject eot
      application/vnd.ms-htmlhelp chm
      application/vnd.ms-outlook msg
      application/vnd.ms-powerpoint ppt pps
      application/vnd.ms-powerpoint.presentation.macroenabled.12 pptm
      application/vnd.ms-powerpoint.slideshow.macroenabled.12 ppsm
      application/vnd.ms-powerpoint.template.macroenabled.12 potm
      application/vnd.ms-project mpp
      application/vnd.ms-publisher pub
      application/vnd.ms-visio.drawing.main+xml vsdx
      application/vnd.ms-word.document.macroenabled.12 docm
      application/vnd.ms-word.template.macroenabled.12 dotm
      application/vnd.ms-works wps
      application/vnd.ms-xpsdocument xps
      application/vnd.oasis.opendocument.base odb
      application/vnd.oasis.opendocument.chart odc
      application/vnd.oasis.opendocument.formula odf
      application/vnd.oasis.opendocument.graphics odg
      application/vnd.oasis.opendocument.graphics-flat-xml fodg
      application/vnd.oasis.opendocument.graphics-template otg
      application/vnd.oasis.opendocument.image odi
      application/vnd.oasis.opendocument.presentation odp
      application/vnd.oasis.opendocument.presentation-flat-xml fodp
      application/vnd.oasis.opendocument.presentation-template otp
      application/vnd.oasis.opendocument.spreadsheet ods
      application/vnd.oasis.opendocument.spreadsheet-flat-xml fods
      application/vnd.oasis.opendocument.spreadsheet-template ots
      application/vnd.oasis.opendocument.text odt
      application/vnd.oasis.opendocument.text-flat-xml fodt
      application/vnd.oasis.opendocument.text-master odm
      application/vnd.oasis.opendocument.text-template ott
      application/vnd.openstreetmap.data+xml osm
      application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
      application/vnd.openxmlformats-officedocument.presentationml.slideshow ppsx
      application/vnd.openxmlformats-officedocument.presentationml.template potx
      application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
      application/vnd.openxmlformats-officedocument.spreadsheetml.template xltx
      application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
      application/vnd.openxmlformats-officedocument.wordprocessingml.template dotx
      application/vnd.rar rar
      application/vnd.rn-realmedia rm
      application/vnd.rn-realmedia-vbr rmvb
      application/vnd.shp shp
      application/vnd.shx shx
      application/vnd.sketchup.skp skp
      application/vnd.snap snap
      application/vnd.sqlite3 sqlite sqlite3
      application/vnd.sun.wadl+xml wadl
      application/vnd.tcpdump.pcap pcap cap
      application/vnd.visio vsd
      application/vnd.wordperfect wpd
      application/warc warc
      application/wasm wasm
      application/wsdl+xml wsdl
      application/x-7z-compressed 7z
      application/x-abiword abw
      application/x-ace ace
      application/x-amf amf
      application/x-apple-diskimage dmg
      application/x-archive ar a
      application/x-arj arj
      application/x-bam bam
      application/x-bat bat cmd
      application/x-bittorrent torrent
      application/x-blender blend
      application/x-brotli br
      application/x-bzip2 bz2 tbz tbz2 tar.bz2
      application/x-cb7 cb7
      application/x-cbt cbt
      application/x-chrome-extension crx
      application/x-compress z tar.z
      application/x-cpio cpio
      application/x-cue cue
      application/x-desktop desktop
      application/x-dvi dvi
      application/x-fictionbook+xml fb2
      application/x-fish fish
      application/x-font-afm afm
      application/x-font-bdf bdf
      application/x-font-pcf pcf
      application/x-font-type1 pfb pfa pfm
      application/x-gnumeric gnumeric
      application/x-hdf5 h5 hdf5
      application/x-ipynb+json ipynb
      application/x-iso9660-image iso
      application/x-java-keystore jks
      application/x-keepass2 kdbx
      application/x-krita kra
      application/x-lz4 lz4 tar.lz4
      application/x-lzh-compressed lzh lha
      application/x-lzip lz tar.lz
      application/x-lzma lzma tar.lzma
      application/x-lzop lzo tar.lzo
      application/x-mach-binary dylib
      application/x-matlab-data mat
      application/x-mobipocket-ebook mobi
      application/x-ms-shortcut lnk
      application/x-msdos-program com
      application/x-msi msi
      application/x-mswinurl url
      application/x-ndjson ndjson
      application/x-netcdf nc
      application/x-npy npy
      application/x-npz npz
      application/x-nzb nzb
      application/x-object o
      application/x-openscad scad
      application/x-pcapng pcapng
      application/x-pem-file pem
      application/x-php php
      application/x-pkcs12 p12 pfx
      application/x-pkcs7-certificates p7b
      application/x-plist plist
      application/x-powershell ps1 psm1
      application/x-protobuf pbf
      application/x-qemu-disk qcow2
      application/x-rpm rpm
      application/x-ruby rb
      application/x-sas-data sas7bdat
      application/x-sh sh bash zsh
      application/x-sharedlib so
      application/x-spss-por por
      application/x-spss-sav sav
      application/x-stata-dta dta
      application/x-subrip srt
      application/x-tar tar gem ova
      application/x-vhd vhd
      application/x-vhdx vhdx
      application/x-virtualbox-vdi vdi
      application/x-vmdk vmdk
      application/x-x509-ca-cert crt der
      application/x-xar pkg
      application/x-xpinstall xpi
      application/x-xz xz txz tar.xz
      application/xaml+xml xaml
      application/xhtml+xml xhtml
      application/xliff+xml xlf xliff
      application/xml xml xsd ovf
      application/xml-dtd dtd
      application/xslt+xml xsl xslt
      application/xspf+xml xspf
      application/yaml yaml yml
      application/zip zip whl egg nupkg
      application/zstd zst tzst tar.zst
      audio/aac aac
      audio/ac3 ac3
      audio/amr amr
      audio/amr-wb awb
      audio/basic au snd
      audio/eac3 eac3
      audio/flac flac
      audio/midi mid midi kar rmi
      audio/mp4 m4a m4b m4r
      audio/mpeg mp3 mp2 mpga
      audio/mpegurl m3u
      audio/ogg ogg oga opus spx
      audio/vnd.dts dts
      audio/wav wav wave
      audio/webm weba
      audio/x-aiff aif aiff aifc
      audio/x-ape ape
      audio/x-caf caf
      audio/x-dff dff
      audio/x-dsf dsf
      audio/x-it it
      audio/x-matroska mka
      audio/x-mod mod
      audio/x-ms-wma wma
      audio/x-musepack mpc
      audio/x-pn-realaudio ra ram
      audio/x-s3m s3m
      audio/x-scpls pls
      audio/x-wavpack wv
      audio/x-xm xm
      chemical/x-cif cif
      chemical/x-daylight-smiles smi
      chemical/x-genbank gb
      chemical/x-mdl-molfile mol
      chemical/x-mdl-sdfile sdf
      chemical/x-mol2 mol2
      chemical/x-pdb pdb
      font/collection ttc
      font/otf otf
      font/ttf ttf
      font/woff woff
      font/woff2 woff2
      image/apng apng
      image/avif avif
      image/bmp bmp dib
      image/emf emf
      image/fits fits fit
      image/gif gif
      image/heic heic
      image/heic-sequence heics
      image/heif heif hif
      image/icns icns
      image/jp2 jp2
      image/jpeg jpg jpeg jpe jfif jif
      image/jpm jpm
      image/jpx jpx
      image/jxl jxl
      image/ktx ktx
      image/ktx2 ktx2
      image/openraster ora
      image/png png
      image/qoi qoi
      image/svg+xml svg svgz
      image/tiff tif tiff
      image/vnd.adobe.photoshop psd
      image/vnd.djvu djvu djv
      image/vnd.dwg dwg
      image/vnd.dxf dxf
      image/vnd.microsoft.icon ico
      image/vnd.radiance hdr
      image/vnd.zbrush.pcx pcx
      image/webp webp
      image/wmf wmf
      image/x-3ds 3ds
      image/x-adobe-dng dng
      image/x-canon-cr2 cr2
      image/x-canon-cr3 cr3
      image/x-canon-crw crw
      image/x-dcraw raw
      image/x-dds dds
      image/x-epson-erf erf
      image/x-exr exr
      image/x-fuji-raf raf
      image/x-hasselblad-3fr 3fr
      image/x-jp2-codestream j2k
      image/x-kodak-dcr dcr
      image/x-kodak-kdc kdc
      image/x-leaf-mos mos
      image/x-minolta-mrw mrw
      image/x-nikon-nef nef
      image/x-nikon-nrw nrw
      image/x-olympus-orf orf
      image/x-panasonic-rw2 rw2
      image/x-pentax-pef pef
      image/x-phaseone-iiq iiq
      image/x-portable-anymap pnm
      image/x-portable-bitmap pbm
      image/x-portable-graymap pgm
      image/x-portable-pixmap ppm
      image/x-samsung-srw srw
      image/x-sigma-x3f x3f
      image/x-sony-arw arw
      image/x-sony-sr2 sr2
      image/x-sony-srf srf
      image/x-tga tga
      image/x-win-bitmap cur
      image/x-xbitmap xbm
      image/x-xcf xcf
      image/x-xpixmap xpm
      message/rfc822 eml
      model/3mf 3mf
      model/gltf+json gltf
      model/gltf-binary glb
      model/iges iges igs
      model/mtl mtl
      model/obj obj
      model/ply ply
      model/step step stp
      model/stl stl
      model/vnd.collada+xml dae
      model/vnd.dwf dwf
      model/vnd.usd usd usdc
      model/vnd.usda usda
      model/vnd.usdz+zip usdz
      model/vrml wrl
      model/x3d+xml x3d
      text/asciidoc adoc
      text/cache-manifest appcache
      text/calendar ics
      text/css css
      text/csv csv
      text/html html htm
      text/javascript js mjs cjs
      text/jsx jsx
      text/markdown md markdown
      text/n3 n3
      text/org org
      text/plain txt text log ini conf cfg sub strings
      text/rust rs
      text/tab-separated-values tsv
      text/tsx tsx
      text/turtle ttl
      text/typescript ts
      text/vcard vcf vcard
      text/vnd.familysearch.gedcom ged
      text/vtt vtt
      text/x-adasrc ada adb ads
      text/x-asm asm s
      text/x-awk awk
      text/x-bed bed
      text/x-bibtex bib
      text/x-c++hdr hh hpp hxx
      text/x-c++src cc cpp cxx
      text/x-chdr h
      text/x-clojure clj cljs
      text/x-cmake cmake
      text/x-common-lisp lisp
      text/x-csharp cs
      text/x-csrc c
      text/x-dart dart
      text/x-diff diff patch
      text/x-dsrc d
      text/x-elixir ex exs
      text/x-emacs-lisp el
      text/x-erlang erl
      text/x-fasta fasta fa
      text/x-fastq fastq
      text/x-fortran f f90 f95
      text/x-fsharp fs
      text/x-gettext-translation po
      text/x-gettext-translation-template pot
      text/x-gff3 gff
      text/x-go go
      text/x-groovy groovy gradle
      text/x-gtf gtf
      text/x-haskell hs
      text/x-java java
      text/x-julia jl
      text/x-kotlin kt kts
      text/x-literate-haskell lhs
      text/x-lua lua
      text/x-makefile mk
      text/x-ms-regedit reg
      text/x-nfo nfo
      text/x-nim nim
      text/x-objc++src mm
      text/x-objcsrc m
      text/x-ocaml ml mli
      text/x-pascal pas
      text/x-perl pl pm
      text/x-protobuf proto
      text/x-python py pyi
      text/x-r r
      text/x-rst rst
      text/x-sam sam
      text/x-scala scala
      text/x-scheme scm
      text/x-sed sed
      text/x-ssa ass ssa
      text/x-swift swift
      text/x-systemverilog sv
      text/x-tcl tcl
      text/x-tex tex latex
      text/x-vb vb
      text/x-verilog v
      text/x-vhdl vhdl
      text/x-vue vue
      text/x-wat wat
      text/x-zig zig
      text/x.gcode gcode
      video/3gpp 3gp
      video/3gpp2 3g2
      video/dv dv
      video/iso.segment m4s
      video/mp2t mts m2ts
      video/mp4 mp4 m4v f4v
      video/mpeg mpg mpeg mpe m2v m1v vob
      video/ogg ogv ogm
      video/quicktime mov qt
      video/webm webm
      video/x-flv flv
      video/x-matroska mkv
      video/x-motion-jpeg mjpeg
      video/x-ms-asf asf
      video/x-ms-wmv wmv
      video/x-msvideo avi divx
      """)
}
