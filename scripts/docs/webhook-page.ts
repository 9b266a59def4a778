import { ECOSYSTEMS } from '../../src/model/lockfile/ecosystem.ts';
import { TRANSITIONS } from '../../src/model/scan/transition.ts';
import { PRESETS } from '../../src/notify/presets/catalog.ts';
import type { AlertVariable, Preset } from '../../src/notify/presets/preset.ts';
import { PLATFORM_VARIABLES } from '../../src/notify/rendering/platform-variables.ts';
import { LOCKHOUND_VARIABLES } from '../../src/notify/rendering/values.ts';
import { RULE_NAMES } from '../../src/policy/catalog.ts';
import { genericEventOf, sampleNotification } from '../docs-samples.ts';
import { codes, jsonBlock, row, table } from './markdown.ts';

/** Examples of presets that the guide has none of; a test renders each and compares it with what the receiver accepts. */
const EXAMPLES = `\`\`\`yaml example=microsoft-teams
webhook: { preset: microsoft-teams }
variables: { TEAMS_WEBHOOK_URL: { secret: { file: /run/secrets/teams-url } } }
\`\`\`

\`\`\`yaml example=opsgenie
webhook: { preset: opsgenie, url: https://api.eu.opsgenie.com/v2/alerts }
variables: { OPSGENIE_API_KEY: { secret: { env: OPSGENIE_API_KEY } } }
\`\`\`

Opsgenie closes alerts at another address. Add a second route for that:

\`\`\`yaml example=opsgenie-close
webhook: { preset: opsgenie-close }
variables: { OPSGENIE_API_KEY: { secret: { env: OPSGENIE_API_KEY } } }
\`\`\`

\`\`\`yaml example=github-repository-dispatch
webhook:
  preset: github-repository-dispatch
  url: https://api.github.com/repos/acme/security/dispatches
variables: { GITHUB_TOKEN: { secret: { env: GITHUB_TOKEN } } }
\`\`\`

Your workflow reads \`github.event.client_payload\`. Pass its texts to scripts through \`env:\`, never through \`$\{{ … }}\` in \`run:\`: they are untrusted.

### Issues in GitHub and Jira

Both presets open, comment and close one issue for each finding. With \`mode: advisory\` there is one for each advisory, which you close
yourself.

\`\`\`yaml example=github-issue
webhook:
  preset: github-issue
  url: https://api.github.com/repos/acme/security/dispatches
variables: { GITHUB_TOKEN: { secret: { env: GITHUB_TOKEN } } }
\`\`\`

Copy [\`examples/github-issue.yaml\`](../../examples/github-issue.yaml) to \`.github/workflows/\` of the repository that gets the issues. The token
needs write access to its contents.

\`\`\`yaml example=jira-issue
webhook:
  preset: jira-issue
  url: https://api-private.atlassian.com/automation/webhooks/jira/a/acme/0190
variables: { JIRA_AUTOMATION_TOKEN: { secret: { env: JIRA_AUTOMATION_TOKEN } } }
\`\`\`

Create this rule in Jira (*Automation*, *Create rule*):

1. Trigger *Incoming webhook*, "No issues from the webhook". Copy its URL to \`url\` and its secret to the variable.
2. Action *Lookup issues* with \`project = SEC AND labels = "{{webhookData.key}}"\`.
3. If \`{{lookupIssues.size}}\` is 0 and \`{{webhookData.action}}\` is \`open\`: *Create issue* with \`{{webhookData.summary}}\`,
   \`{{webhookData.description}}\`, priority \`{{webhookData.priority}}\` and the labels \`lockhound\` and \`{{webhookData.key}}\`.
4. Else branch over the same JQL: *Comment* with \`{{webhookData.description}}\`; for \`close\` *Transition* to done, for \`open\` back to the
   first status.
`;

/** The page of presets, variables of templates, names for routes, and the generic event. */
export async function webhookPage(): Promise<string> {
  return `<!-- Written by \`npm run generate\` from the presets, variables and rules. -->

# Presets, variables and the generic event

The reference of [webhooks](../webhooks.md).

## Presets

${presetTable(PRESETS)}
## Examples

[Webhooks](../webhooks.md) has those of \`slack\`, \`pagerduty\` and \`generic\`. The others:

${EXAMPLES}
## Names for routes

Any other name under \`match\` is an error in the configuration.

- \`rules\`: ${codes(RULE_NAMES)}.
- \`ecosystems\`: ${codes(ECOSYSTEMS)}.
- \`transitions\`: ${codes(TRANSITIONS)}.

## The generic event

Schema \`lockhound.changes/1\`: keys keep their meaning; keys may be added.

${jsonBlock(genericEventOf(await sampleNotification()))}
## Variables of Lockhound

${variableTable(LOCKHOUND_VARIABLES)}
## Variables of the platform

Templates that you wrote for the platform work: each variable has the closest meaning for Lockhound.

${variableTable(PLATFORM_VARIABLES)}
## Variables of the presets

${variableTable(PRESETS.flatMap(({ variables }) => variables ?? []))}`;
}

function variableTable(variables: readonly AlertVariable[]): string {
  const empty = variables.filter(({ description }) => description.startsWith('Empty:'));
  const rows = variables
    .filter((variable) => !empty.includes(variable))
    .map((variable) =>
      row([`\`$${variable.name}\``, 'json' in variable ? 'JSON' : 'text', meaning(variable)]),
    );
  const rest =
    empty.length === 0 ? [] : ['', `Supported, always empty: ${codes(empty.map(({ name }) => `$${name}`))}.`];
  return `${table(['variable', 'kind', 'meaning'], rows)}${rest.map((line) => `${line}\n`).join('')}`;
}

function presetTable(presets: readonly Preset[]): string {
  const rows = presets.map(({ name, description, url, secret, mode, transitions, limits }) => {
    const address = url === undefined ? 'yours' : `\`${url}\``;
    const key = secret === undefined ? '' : `\`${secret.name}\`: ${secret.description}`;
    const sent = `\`${mode ?? 'digest'}\`${transitions === undefined ? '' : ` (${transitions.join(', ')})`}`;
    return row([`\`${name}\``, description, address, key, sent, (limits ?? []).join('; ')]);
  });
  return table(['preset', 'sends', '`url`', 'secret variable', 'mode', 'limits'], rows);
}

function meaning({ description }: AlertVariable): string {
  return description
    .replace(/^JSON: (.)/, (_all, first: string) => first.toUpperCase())
    .replaceAll('|', '\\|');
}
