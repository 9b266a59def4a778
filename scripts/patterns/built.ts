/**
 * Examples of the regular expressions that are built while the program runs, by the file that builds them. The check of all
 * literals reads this file too, so that it checks each form.
 */
export const BUILT: Readonly<Record<string, readonly RegExp[]>> = {
  'src/embedded/routes.ts': [/^\/v3alpha\/systems\/([^/]+)\/packages\/(.+)\/versions\/([^/]+):dependencies$/],
  'src/model/secret.ts': [/secret%20value|secret/gi],
  'src/policy/rules/deprecated.ts': [
    /\b(?:use|migrate to|replaced (?:by|with)) [`'"]?(@[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*|[a-z0-9][\w.-]*)/i,
  ],
  'src/commands/doctor/redis-connection.ts': [/^cluster_state:(\w+)/m],
  // Compiles the expressions of documents, which are checked one by one.
  'src/discovery/request/formats.ts': [],
  'src/insights/request/params.ts': [/^[0-9a-f]{128}$/i],
  'src/lockfiles/syntax/toml-blocks.ts': [/^\s*\[\[\s*(?:package|"package")\s*\]\]\s*(?:#.*)?$/s],
  'src/notify/webhooks/preset-webhook.ts': [/\$SLACK_TOKEN(?![A-Z0-9_])/g],
  'src/policy/suppressions/concerned-findings.ts': [/GHSA-1|CVE-2/i, /a[-_.]+b[-_.]+c/i, /license/],
  'src/store/redis/server-settings.ts': [/^maxmemory_policy:(.*?)\r?$/m],
  // The patterns of parameters of the API.
  'web/page/api/filters.ts': [/^[^=]+=.*$/],
  'src/versions/pep440.ts': [
    /^v?(?:(?<epoch>\d+)!)?(?<release>\d+(?:\.\d+)*)(?:[-_.]?(?<phase>alpha|beta|preview|pre|a|b|c|rc)[-_.]?(?<pre>\d+)?)?(?<isPost>-(?<implicit>\d+)|[-_.]?(?:post|rev|r)[-_.]?(?<post>\d+)?)?(?<isDev>[-_.]?dev[-_.]?(?<dev>\d+)?)?(?:\+(?<local>[a-z\d]+(?:[-_.][a-z\d]+)*))?$/i,
  ],
  // The check itself.
  'scripts/patterns/attacks.ts': [],
  'scripts/patterns/growth.ts': [],
  'scripts/conformance/policies.ts': [
    /name = "a"\nversion = "1"\n(?!source)/,
    /name = "a"\nversion = "1"\nsource = \{ (?:virtual|editable) =/,
  ],
};
