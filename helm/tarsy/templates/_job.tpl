{{/* Pod of a Job. Argument: {root, name, account, job}; a job has command, env, secrets, and perhaps config: the names of ConfigMaps. */}}
{{- define "tarsy.jobPod" -}}
{{- $root := .root -}}
{{- $job := .job -}}
{{- $named := dict "root" $root "component" .name "own" dict -}}
{{- $secrets := printf "%s\n%s" (include "tarsy.caBundle" $root) $job.secrets | trim -}}
metadata:
  labels: {{- include "tarsy.labels" $named | nindent 4 }}
spec:
  {{- include "tarsy.podBasics" $named | nindent 2 }}
  serviceAccountName: {{ .account }}
  automountServiceAccountToken: false
  restartPolicy: Never
  containers:
    - name: {{ .name }}
      {{- include "tarsy.image" (dict "root" $root "image" dict) | nindent 6 }}
      args: {{- toYaml $job.command | nindent 8 }}
      env:
        - {name: HOME, value: /tmp}
        {{- with include "tarsy.egressEnv" $root | trim }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with $job.env | trim }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with $root.Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      terminationMessagePolicy: FallbackToLogsOnError
      {{- with $root.Values.containerSecurityContext }}
      securityContext: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.jobs.resources }}
      resources: {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts: {{- include "tarsy.mounts" (dict "secrets" $secrets) | nindent 8 }}
        {{- with $job.config }}
        - {name: config, mountPath: /etc/tarsy, readOnly: true}
        {{- if .skills }}
        - {name: skills, mountPath: /etc/tarsy-skills, readOnly: true}
        {{- end }}
        {{- end }}
        {{- with $root.Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes: {{- include "tarsy.volumes" (dict "root" $root "secrets" $secrets) | nindent 4 }}
    {{- with $job.config }}
    - name: config
      configMap: {name: {{ .files }}}
    {{- with .skills }}
    - name: skills
      configMap: {name: {{ . }}}
    {{- end }}
    {{- end }}
    {{- with $root.Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{/* Variables that tarsy.yaml may name, of what checks all of it. */}}
{{- define "tarsy.configEnv" -}}
{{- include "tarsy.secretEnv" .Values.config.secretEnv }}
{{- include "tarsy.secretEnv" .Values.models.keys }}
{{- include "tarsy.secretEnv" .Values.notifier.secretEnv }}
{{- end }}
