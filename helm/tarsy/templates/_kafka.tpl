{{/* Connection to Kafka of one service: that of all, and what it has of its own. Argument: {root, override} */}}
{{- define "tarsy.kafka" -}}
{{ toYaml (mustMergeOverwrite (deepCopy .root.Values.kafka) .override) }}
{{- end }}

{{/* Argument: a connection */}}
{{- define "tarsy.kafkaEnv" -}}
{{- $secrets := "/run/secrets/tarsy/kafka" -}}
- name: TARSY_KAFKA
  value: {{ .bootstrapServers | quote }}
- name: TARSY_TOPIC_PREFIX
  value: {{ .topicPrefix | quote }}
{{- if ne .securityProtocol "PLAINTEXT" }}
- name: TARSY_KAFKA_SECURITY_PROTOCOL
  value: {{ .securityProtocol }}
{{- end }}
{{- if .ca.secret }}
- name: TARSY_KAFKA_CA_FILE
  value: {{ $secrets }}/ca.crt
{{- end }}
{{- with .clientCertificate }}
{{- if .secret }}
- name: TARSY_KAFKA_CERT_FILE
  value: {{ $secrets }}/tls.crt
- name: TARSY_KAFKA_KEY_FILE
  value: {{ $secrets }}/tls.key
{{- if .passwordKey }}
- name: TARSY_KAFKA_KEY_PASSWORD_FILE
  value: {{ $secrets }}/key-password
{{- end }}
{{- end }}
{{- end }}
{{- with .sasl }}
{{- if .mechanism }}
- name: TARSY_KAFKA_SASL_MECHANISM
  value: {{ .mechanism }}
{{- end }}
{{- if and .secret .usernameKey }}
- name: TARSY_KAFKA_USERNAME
  valueFrom:
    secretKeyRef: {name: {{ .secret | quote }}, key: {{ .usernameKey | quote }}}
{{- else if .username }}
- name: TARSY_KAFKA_USERNAME
  value: {{ .username | quote }}
{{- end }}
{{- if .secret }}
- name: TARSY_KAFKA_PASSWORD_FILE
  value: {{ $secrets }}/password
{{- end }}
{{- if .tokenCommand }}
- name: TARSY_KAFKA_TOKEN_COMMAND
  value: {{ .tokenCommand | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* The same connection's secrets, as sources of a projected volume. */}}
{{- define "tarsy.kafkaSecrets" -}}
{{- with .ca }}{{- if .secret }}
- secret: {name: {{ .secret | quote }}, items: [{key: {{ .key | quote }}, path: kafka/ca.crt}]}
{{- end }}{{- end }}
{{- with .clientCertificate }}{{- if .secret }}
- secret:
    name: {{ .secret | quote }}
    items:
      - {key: {{ .certKey | quote }}, path: kafka/tls.crt}
      - {key: {{ .keyKey | quote }}, path: kafka/tls.key}
      {{- if .passwordKey }}
      - {key: {{ .passwordKey | quote }}, path: kafka/key-password}
      {{- end }}
{{- end }}{{- end }}
{{- with .sasl }}{{- if .secret }}
- secret: {name: {{ .secret | quote }}, items: [{key: {{ .passwordKey | quote }}, path: kafka/password}]}
{{- end }}{{- end }}
{{- end }}

{{- define "tarsy.databaseEnv" -}}
- name: TARSY_DATABASE_FILE
  value: /run/secrets/tarsy/database/url
- name: TARSY_DATABASE_SCHEMA
  value: {{ .schema }}
{{- if .ca.secret }}
- name: PGSSLROOTCERT
  value: /run/secrets/tarsy/database/ca.crt
{{- end }}
{{- end }}

{{- define "tarsy.databaseSecrets" -}}
- secret: {name: {{ .secret | quote }}, items: [{key: {{ .key | quote }}, path: database/url}]}
{{- with .ca }}{{- if .secret }}
- secret: {name: {{ .secret | quote }}, items: [{key: {{ .key | quote }}, path: database/ca.crt}]}
{{- end }}{{- end }}
{{- end }}
