{{- /* The text of every section of every page, for site.js. */ -}}
{{- $sections := slice -}}
{{- range slice site.Home | append site.RegularPages -}}
  {{- $page := . -}}
  {{- $title := cond .IsHome "Overview" (partialCached "title.html" . (or .File.Path "home")) -}}
  {{- range $i, $part := split (replaceRE ` <a class="anchor".*?</a>` "" .Content) "<h2 id=\"" -}}
    {{- $anchor := "" }}{{ $heading := "" }}{{ $text := $part -}}
    {{- if $i -}}
      {{- $anchor = printf "#%s" (index (split $part "\"") 0) -}}
      {{- $heading = index (findRE `>.*?</h2>` $part 1) 0 | strings.TrimPrefix ">" | plainify | htmlUnescape -}}
      {{- $text = replaceRE `(?s)^.*?</h2>` "" $part -}}
    {{- end -}}
    {{- $text = replaceRE `\s+` " " (plainify (replaceRE `<` " <" $text) | htmlUnescape) -}}
    {{- $text = replaceRE `[─┌┬┐├┼┤└┴┘│═]+ ?` "" $text -}}
    {{- $sections = $sections | append (dict "page" $title "heading" $heading "url" (printf "%s%s" (strings.TrimPrefix "/" $page.RelPermalink) $anchor) "text" (trim $text " ")) -}}
  {{- end -}}
{{- end -}}
const sections = {{ $sections | jsonify }};
