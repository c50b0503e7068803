{{/* nginx.conf of the front door; deploy/compose/front-door.conf is that of the compose file. */}}
{{- define "tarsy.frontDoorConf" -}}
{{- $root := . -}}
{{- /* Requests come with the path, or without it where a proxy before us took it away. */}}
{{- $base := include "tarsy.basePath" . -}}
{{- if $base }}{{ $base = printf "(?:%s)?" $base }}{{ end -}}
worker_processes 1;
pid /tmp/nginx.pid;
error_log /dev/stderr warn;
events {}
http {
    client_body_temp_path /tmp/client_body;
    proxy_temp_path /tmp/proxy;
    fastcgi_temp_path /tmp/fastcgi;
    uwsgi_temp_path /tmp/uwsgi;
    scgi_temp_path /tmp/scgi;
    access_log off;

    map $http_upgrade $connection_upgrade {
        default upgrade;
        ''      '';
    }

    server {
        listen {{ if contains ":" .Values.http.host }}[::]:{{ .Values.http.port }} ipv6only=off{{ else }}{{ .Values.http.port }}{{ end }};
        server_tokens off;
        client_max_body_size 16m;
        client_header_timeout 15s;
        client_body_timeout 15s;
        merge_slashes off;

        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Host $http_host;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_connect_timeout 2s;
        proxy_read_timeout 60s;
        proxy_buffering off;
        # The head of an answer; that of a login has a cookie of up to 4 KiB.
        proxy_buffer_size 16k;
        proxy_buffers 8 16k;
        {{- range include "tarsy.routes" . | fromYamlArray }}
        {{- $location := eq .path "/" | ternary "/" (printf "~ ^%s%s(/|$)" $base (.path | replace "." "\\.")) }}

        location {{ $location }} {
            {{- if eq .service "nowhere" }}
            return 404;
            {{- else }}
            proxy_pass http://{{ include "tarsy.fullname" $root }}-{{ .service }}:{{ $root.Values.http.port }};
            {{- if eq .path "/api/v1/ws" }}
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Host $http_host;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_read_timeout 1h;
            {{- end }}
            {{- end }}
        }
        {{- end }}
    }
}
{{- end }}
