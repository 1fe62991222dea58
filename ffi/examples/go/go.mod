module bunraku.example/compile

go 1.19
