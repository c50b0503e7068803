{{/* Number, truth value, text or list, as a variable has it: Helm would write 2000000 as 2e+06. */}}
{{- define "tarsy.variable" -}}
{{- if kindIs "slice" . -}}
{{ toJson . | quote }}
{{- else if and (kindIs "float64" .) (eq . (floor .)) -}}
{{ int64 . | toString | quote }}
{{- else -}}
{{ toString . | quote }}
{{- end -}}
{{- end }}

{{- define "tarsy.settingsEnv" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ include "tarsy.variable" $value }}
{{- end }}
{{- end }}

{{- define "tarsy.secretEnv" -}}
{{- range $name, $ref := . }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: {name: {{ $ref.secret | quote }}, key: {{ $ref.key | quote }}}
{{- end }}
{{- end }}

{{/* The part of a spec that every pod of ours has. Argument: {root, own} */}}
{{- define "tarsy.podBasics" -}}
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.podSecurityContext }}
securityContext: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with mergeOverwrite (deepCopy .root.Values.nodeSelector) (deepCopy (default dict .own.nodeSelector)) }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with concat .root.Values.tolerations (default list .own.tolerations) }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with default .root.Values.affinity .own.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Argument: {root, component}: the name of a service, or of a Job */}}
{{- define "tarsy.spread" -}}
{{- $selector := dict "matchLabels" (include "tarsy.selector" . | fromYaml) -}}
{{- range default .root.Values.topologySpreadConstraints .own.topologySpreadConstraints }}
- {{- toYaml (mustMerge (deepCopy .) (dict "labelSelector" $selector)) | nindent 2 }}
{{- end }}
{{- end }}

{{/* Volumes of every pod; `secrets` are sources of a projected volume. Argument: {root, secrets} */}}
{{- define "tarsy.volumes" -}}
- name: tmp
  emptyDir: {sizeLimit: {{ .root.Values.tmpSize }}}
{{- with .secrets }}
- name: secrets
  projected:
    # Readable by our group, which fsGroup is; not by others.
    defaultMode: 0440
    sources: {{- . | nindent 6 }}
{{- end }}
{{- end }}

{{- define "tarsy.mounts" -}}
- {name: tmp, mountPath: /tmp}
{{- if .secrets }}
- {name: secrets, mountPath: /run/secrets/tarsy, readOnly: true}
{{- end }}
{{- end }}

{{/* The company's authorities, as a source of a projected volume. */}}
{{- define "tarsy.caBundle" -}}
{{- with .Values.caBundle }}{{- if or .configMap .secret }}
- {{ empty .secret | ternary "configMap" "secret" }}: {name: {{ default .configMap .secret | quote }}, items: [{key: {{ .key | quote }}, path: authorities/ca.crt}]}
{{- end }}{{- end }}
{{- end }}

{{/* The way out, of every pod that runs our image. */}}
{{- define "tarsy.egressEnv" -}}
{{- if or .Values.caBundle.configMap .Values.caBundle.secret }}
- {name: TARSY_CA_FILE, value: /run/secrets/tarsy/authorities/ca.crt}
{{- end }}
{{- $root := . }}
{{- with .Values.proxy }}
{{- if .secret }}
{{- range list "HTTPS_PROXY" "HTTP_PROXY" }}
- name: {{ . }}
  valueFrom:
    secretKeyRef: {name: {{ $root.Values.proxy.secret | quote }}, key: {{ $root.Values.proxy.key | quote }}}
{{- end }}
{{- else }}
{{- with .https }}
- {name: HTTPS_PROXY, value: {{ . | quote }}}
{{- end }}
{{- with .http }}
- {name: HTTP_PROXY, value: {{ . | quote }}}
{{- end }}
{{- end }}
{{- if or .secret .https .http }}
# The API of this cluster is asked by an address that Kubernetes tells every container.
- {name: NO_PROXY, value: {{ include "tarsy.noProxy" $root | quote }}}
{{- end }}
{{- end }}
{{- end }}

{{/* What is inside. Our own clients ask names without a dot directly, anyway; programs of others are told each of them. */}}
{{- define "tarsy.noProxy" -}}
{{- $collector := "" -}}
{{- with .Values.settings.TARSY_OTLP_ENDPOINT }}{{ $collector = (urlParse .).hostname }}{{ end -}}
{{- $inside := list "localhost" "127.0.0.1" "::1" "$(KUBERNETES_SERVICE_HOST)" ".svc" ".cluster.local" (printf ".%s" .Release.Namespace) -}}
{{- range $name, $_ := include "tarsy.services" . | fromYaml }}{{ $inside = append $inside (printf "%s-%s" (include "tarsy.fullname" $) $name) }}{{ end -}}
{{- join "," (concat $inside (compact (list $collector)) .Values.proxy.noProxy) -}}
{{- end }}

{{/* All secrets of a service that are files. Argument: {root, facts, kafka} */}}
{{- define "tarsy.serviceSecrets" -}}
{{- include "tarsy.caBundle" .root }}
{{- include "tarsy.kafkaSecrets" .kafka }}
{{- if .facts.database }}
{{ include "tarsy.databaseSecrets" .root.Values.database }}
{{- end }}
{{- with .root.Values.maskingKey }}{{- if and .secret $.facts.masking }}
- secret: {name: {{ .secret | quote }}, items: [{key: {{ .key | quote }}, path: masking/key}]}
{{- end }}{{- end }}
{{- with .root.Values.tokenKey }}{{- if and .secret (eq $.facts.module "tarsy_tool_gateway") }}
- secret: {name: {{ .secret | quote }}, items: [{key: {{ .key | quote }}, path: tokens/key}]}
{{- end }}{{- end }}
{{- with .root.Values.slack.signingSecret }}{{- if and .secret $.facts.slackClicks }}
- secret: {name: {{ .secret | quote }}, items: [{key: {{ .key | quote }}, path: slack/signing-secret}]}
{{- end }}{{- end }}
{{- with .root.Values.auth }}{{- if .secret }}
- secret:
    name: {{ .secret | quote }}
    items:
      - {key: {{ .fileKey | quote }}, path: auth/auth.yaml}
      {{- if or $.facts.timeline $.facts.ingest }}
      - {key: {{ .apiKeyKey | quote }}, path: auth/api-key}
      {{- end }}
{{- end }}{{- end }}
{{- with .root.Values.toolGateway.kubernetesAccess.kubeconfig }}{{- if and .secret (eq $.facts.module "tarsy_tool_gateway") }}
- secret: {name: {{ .secret | quote }}, items: [{key: {{ .key | quote }}, path: kubernetes/config}]}
{{- end }}{{- end }}
{{- end }}

{{/* Names by which services are asked: those of the Services, in each of their spellings, of the Ingress, and yours. */}}
{{- define "tarsy.hosts" -}}
{{- $root := . -}}
{{- $names := list -}}
{{- $services := .Values.frontDoor.enabled | ternary (list (include "tarsy.fullname" .)) list -}}
{{- range $name, $_ := include "tarsy.services" . | fromYaml -}}
{{- $services = append $services (printf "%s-%s" (include "tarsy.fullname" $root) $name) -}}
{{- end -}}
{{- range $service := $services -}}
{{- range $rest := list "" (printf ".%s" $root.Release.Namespace) (printf ".%s.svc" $root.Release.Namespace) (printf ".%s.svc.cluster.local" $root.Release.Namespace) -}}
{{- $names = append $names (printf "%s%s" $service $rest) -}}
{{- end -}}
{{- end -}}
{{- join "," (concat $names .Values.ingress.hosts .Values.gateway.hostnames .Values.http.names) -}}
{{- end }}

{{/* Variables of a service. Argument: {root, facts, own, kafka} */}}
{{- define "tarsy.serviceEnv" -}}
{{- $values := .root.Values -}}
- {name: TARSY_HTTP_HOST, value: {{ $values.http.host | quote }}}
- {name: TARSY_HTTP_PORT, value: {{ $values.http.port | quote }}}
- {name: TARSY_HOSTS, value: {{ include "tarsy.hosts" .root | quote }}}
{{- with include "tarsy.basePath" .root }}
- {name: TARSY_BASE_PATH, value: {{ . | quote }}}
{{- end }}
{{- if $values.auth.secret }}
- {name: TARSY_AUTH_FILE, value: /run/secrets/tarsy/auth/auth.yaml}
{{- if or .facts.timeline .facts.ingest }}
- {name: TARSY_API_KEY_FILE, value: /run/secrets/tarsy/auth/api-key}
{{- end }}
{{- else if $values.openAccess }}
- {name: TARSY_OPEN_ACCESS, value: "yes"}
{{- end }}
- name: TARSY_SHUTDOWN_SECONDS
  value: {{ include "tarsy.variable" .own.shutdownSeconds }}
# npx and token commands keep their caches at home, and nothing but /tmp can be written to.
- {name: HOME, value: /tmp}
{{- include "tarsy.egressEnv" .root }}
{{ include "tarsy.kafkaEnv" .kafka }}
{{- if .facts.config }}
- {name: TARSY_CONFIG_DIR, value: /etc/tarsy}
{{- include "tarsy.secretEnv" $values.config.secretEnv }}
{{- end }}
{{- if .facts.models }}
{{- include "tarsy.secretEnv" $values.models.keys }}
{{- end }}
{{- if .facts.receivers }}
{{- include "tarsy.secretEnv" .own.secretEnv }}
{{- end }}
{{- if and .facts.masking $values.maskingKey.secret }}
- {name: TARSY_MASKING_KEY_FILE, value: /run/secrets/tarsy/masking/key}
{{- end }}
{{- with $values.slack.reviewChannels }}
{{- if or $.facts.slackClicks $.facts.receivers }}
- {name: TARSY_SLACK_REVIEW_CHANNELS, value: {{ join "," . | quote }}}
{{- end }}
{{- end }}
{{- if and $values.slack.signingSecret.secret .facts.slackClicks }}
- {name: TARSY_SLACK_SIGNING_SECRETS_FILE, value: /run/secrets/tarsy/slack/signing-secret}
{{- end }}
{{- if .facts.database }}
{{ include "tarsy.databaseEnv" $values.database }}
{{- end }}
{{- if .facts.timeline }}
- {name: TARSY_TIMELINE_URL, value: "http://{{ include "tarsy.fullname" .root }}-timeline:{{ $values.http.port }}"}
{{- end }}
{{- if .facts.ingest }}
- {name: TARSY_INGEST_URL, value: "http://{{ include "tarsy.fullname" .root }}-ingest:{{ $values.http.port }}"}
{{- end }}
{{- if .facts.deadAfter }}
- name: TARSY_DEAD_AFTER_SECONDS
  value: {{ include "tarsy.variable" $values.deadAfterSeconds }}
{{- end }}
{{- if eq .facts.module "tarsy_tool_gateway" }}
- name: TARSY_TOOL_GATEWAY_DRAIN_SECONDS
  value: {{ include "tarsy.variable" .own.drainSeconds }}
{{- if $values.tokenKey.secret }}
- {name: TARSY_TOKEN_KEY_FILE, value: /run/secrets/tarsy/tokens/key}
{{- end }}
{{- if .own.kubernetesAccess.kubeconfig.secret }}
- {name: KUBECONFIG, value: /run/secrets/tarsy/kubernetes/config}
{{- end }}
{{- end }}
{{- include "tarsy.settingsEnv" $values.settings }}
{{- include "tarsy.settingsEnv" .own.settings }}
{{- with concat $values.extraEnv .own.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
