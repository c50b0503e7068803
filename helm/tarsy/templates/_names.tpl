{{/* The services: their values, their module, and what each of them needs. A test compares it with the code. */}}
{{- define "tarsy.services" -}}
ingest: {values: ingest, module: tarsy_ingest, config: true, masking: true}
orchestrator: {values: orchestrator, module: tarsy_orchestrator, config: true, masking: true, models: true, deadAfter: true}
tool-gateway: {values: toolGateway, module: tarsy_tool_gateway, config: true, masking: true, deadAfter: true, timeline: true}
summarizer: {values: summarizer, module: tarsy_summarizer, config: true, masking: true, models: true}
timeline: {values: timeline, module: tarsy_timeline, masking: true, database: true, ingest: true, slackClicks: true}
websocket-gateway: {values: websocketGateway, module: tarsy_websocket_gateway, timeline: true}
notifier: {values: notifier, module: tarsy_notifier, config: true, timeline: true, receivers: true}
{{- end }}

{{/* The front door: the first that fits counts. `nowhere` is answered with 404. */}}
{{- define "tarsy.routes" -}}
- {path: /internal, service: nowhere}
- {path: /docs, service: nowhere}
- {path: /redoc, service: nowhere}
- {path: /openapi.json, service: timeline}
- {path: /metrics, service: nowhere}
- {path: /api/v1/alerts, service: ingest}
- {path: /api/v1/alert-types, service: ingest}
- {path: /api/v1/system/config, service: ingest}
- {path: /api/v1/system/default-tools, service: ingest}
- {path: /api/v1/ws, service: websocket-gateway}
- {path: /api, service: timeline}
- {path: /mcp, service: timeline}
- {path: /, service: websocket-gateway}
{{- end }}

{{/* Paths of the Ingress: each that leads somewhere is named, so the controller itself answers all others with 404. */}}
{{- define "tarsy.ingressPaths" -}}
{{- $base := include "tarsy.basePath" . }}
{{- range include "tarsy.routes" . | fromYamlArray }}
{{- $service := .service }}
{{- if eq .path "/" }}
{{- range list $base (printf "%s/" $base) | compact }}
- {path: {{ . }}, type: Exact, service: {{ $service }}}
{{- end }}
{{- range list "assets" "health" "login" "logout" "memories" "ready" "servers" "sessions" "submit" "system" "usage" }}
- {path: {{ $base }}/{{ . }}, type: Prefix, service: {{ $service }}}
{{- end }}
{{- else if ne $service "nowhere" }}
- {path: {{ $base }}{{ .path }}, type: Prefix, service: {{ $service }}}
{{- end }}
{{- end }}
{{- end }}

{{/* The path below which TARSy has its addresses, as /tarsy; nothing for none. */}}
{{- define "tarsy.basePath" -}}
{{- with trimAll "/" .Values.http.basePath }}/{{ . }}{{ end -}}
{{- end }}

{{- define "tarsy.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains $name .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{/* Labels that a Deployment selects by; they never change. Argument: {root, component} */}}
{{- define "tarsy.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "tarsy.labels" -}}
{{ include "tarsy.selector" . }}
app.kubernetes.io/part-of: {{ .root.Values.metrics.job }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Argument: {root, image}, where `image` has what differs from the image of all */}}
{{- define "tarsy.image" -}}
{{- $image := mustMergeOverwrite (deepCopy .root.Values.image) .image -}}
{{- if $image.digest -}}
image: {{ printf "%s@%s" $image.repository $image.digest | quote }}
{{- else -}}
image: {{ printf "%s:%s" $image.repository (default .root.Chart.AppVersion $image.tag) | quote }}
{{- end }}
imagePullPolicy: {{ $image.pullPolicy }}
{{- end }}

{{- define "tarsy.configMap" -}}
{{ default (printf "%s-config" (include "tarsy.fullname" .)) .Values.config.existingConfigMap }}
{{- end }}

{{/* Empty without skills. */}}
{{- define "tarsy.skillsConfigMap" -}}
{{- if .Values.config.existingSkillsConfigMap -}}
{{ .Values.config.existingSkillsConfigMap }}
{{- else if .Values.config.skills -}}
{{ include "tarsy.fullname" . }}-skills
{{- end -}}
{{- end }}

{{/* Argument: {root, component} */}}
{{- define "tarsy.serviceAccount" -}}
{{- $fullname := include "tarsy.fullname" .root -}}
{{- if eq .component "tool-gateway" -}}
{{ default (printf "%s-tool-gateway" $fullname) .root.Values.serviceAccount.toolGatewayName }}
{{- else -}}
{{ default $fullname .root.Values.serviceAccount.name }}
{{- end -}}
{{- end }}

{{/* Jobs run before the accounts of the services are there: theirs is a hook, too. */}}
{{- define "tarsy.jobsAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ include "tarsy.fullname" . }}-jobs
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end }}

{{/* The checks that no schema can make. */}}
{{- define "tarsy.check" -}}
{{- $_ := required "kafka.bootstrapServers must be set: HOST:PORT[,HOST:PORT] of your Kafka" .Values.kafka.bootstrapServers -}}
{{- $_ := required "database.secret must be set: the name of a Secret with the URL of your PostgreSQL" .Values.database.secret -}}
{{- if not (or .Values.config.files .Values.config.existingConfigMap) -}}
{{- fail "config.files or config.existingConfigMap must be set: TARSy needs a tarsy.yaml" -}}
{{- end -}}
{{- if and .Values.config.files (not (hasKey .Values.config.files "tarsy.yaml")) -}}
{{- fail "config.files has no tarsy.yaml" -}}
{{- end -}}
{{- if and .Values.caBundle.configMap .Values.caBundle.secret -}}
{{- fail "caBundle.configMap and caBundle.secret contradict each other: leave one of them out" -}}
{{- end -}}
{{- if and .Values.proxy.secret (or .Values.proxy.https .Values.proxy.http) -}}
{{- fail "proxy.secret and proxy.https or proxy.http contradict each other: leave one of them out" -}}
{{- end -}}
{{- if and .Values.gateway.enabled (not .Values.gateway.parentRefs) -}}
{{- fail "gateway.parentRefs must be set: the Gateways that lead here, such as [{name: public, namespace: gateways}]" -}}
{{- end -}}
{{- if and .Values.auth.secret .Values.openAccess -}}
{{- fail "auth.secret and openAccess contradict each other: leave one of them out" -}}
{{- end -}}
{{- if and .Values.slack.reviewChannels (not .Values.slack.signingSecret.secret) -}}
{{- fail "slack.signingSecret.secret must be set where slack.reviewChannels is: it proves that clicks come from Slack" -}}
{{- end -}}
{{- if and .Values.slack.signingSecret.secret (not .Values.slack.reviewChannels) -}}
{{- fail "slack.signingSecret.secret is set, and slack.reviewChannels is not: nobody could review" -}}
{{- end -}}
{{- if not (or .Values.auth.secret .Values.openAccess) -}}
{{- fail "auth.secret must be set: the name of a Secret with auth.yaml, which says who may do what, and with an API key of the role service (docs/how-to/keys-and-tokens.md); or openAccess: true, if whoever reaches the pods may do everything, as behind a proxy that authenticates" -}}
{{- end -}}
{{- with .Values.toolGateway -}}
{{- if lt (float64 .shutdownSeconds) (addf .drainSeconds 5) -}}
{{- fail "toolGateway.shutdownSeconds must be at least 5 more than toolGateway.drainSeconds, or a stop breaks off the calls that it waits for" -}}
{{- end -}}
{{- end -}}
{{- end }}
