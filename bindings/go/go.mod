module github.com/profkit/profkit/bindings/go

go 1.19
