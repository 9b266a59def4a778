import { z } from 'zod';

/** Text of at most so many UTF-16 units: of the two ways to count characters the stricter one (zod's is the other). */
const text = (most: number) =>
  z
    .string()
    .min(1)
    .refine((value) => value.length <= most, `at most ${most} characters`);
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value), 'utf8');

const mrkdwn = z.strictObject({ type: z.literal('mrkdwn'), text: text(3_000) });

/** Slack: https://docs.slack.dev/reference/block-kit/blocks */
const slack = z.strictObject({
  text: text(40_000),
  blocks: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('header'),
          text: z.strictObject({ type: z.literal('plain_text'), text: text(150), emoji: z.boolean() }),
        }),
        z.strictObject({ type: z.literal('section'), text: mrkdwn }),
        z.strictObject({ type: z.literal('context'), elements: z.array(mrkdwn).min(1).max(10) }),
      ]),
    )
    .min(1)
    .max(50),
});

const openUrl = z.strictObject({
  type: z.literal('Action.OpenUrl'),
  url: z.url({ protocol: /^https?$/ }),
  title: text(100).optional(),
});

const textRun = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string().min(1),
  size: z.enum(['Small', 'Default', 'Medium', 'Large', 'ExtraLarge']).optional(),
  weight: z.enum(['Lighter', 'Default', 'Bolder']).optional(),
  color: z.enum(['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention']).optional(),
  isSubtle: z.boolean().optional(),
  italic: z.boolean().optional(),
  selectAction: openUrl.optional(),
});

/** Adaptive Cards 1.4 in a Teams message of at most 28 KB. */
const microsoftTeams = z
  .strictObject({
    type: z.literal('message'),
    attachments: z
      .array(
        z.strictObject({
          contentType: z.literal('application/vnd.microsoft.card.adaptive'),
          contentUrl: z.null(),
          content: z.strictObject({
            $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
            type: z.literal('AdaptiveCard'),
            version: z.literal('1.4'),
            body: z.array(
              z.strictObject({ type: z.literal('RichTextBlock'), inlines: z.array(textRun).min(1) }),
            ),
            actions: z.array(openUrl).optional(),
            msteams: z.strictObject({ width: z.literal('Full') }),
          }),
        }),
      )
      .length(1),
  })
  .refine((message) => bytes(message) <= 28 * 1_024, '28 KB');

/** PagerDuty: https://developer.pagerduty.com/docs/send-alert-event */
const pagerduty = z
  .strictObject({
    routing_key: z.string().length(32),
    event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
    dedup_key: text(255),
    client: text(100),
    links: z.array(z.strictObject({ href: z.url({ protocol: /^https?$/ }), text: text(100) })),
    payload: z.strictObject({
      summary: text(1_024),
      source: text(1_024),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime({ offset: true }),
      class: text(100),
      custom_details: z.record(z.string(), z.unknown()),
    }),
  })
  .refine((event) => bytes(event) <= 512 * 1_024, '512 KB');

/** Opsgenie: https://docs.opsgenie.com/docs/alert-api#create-alert */
const opsgenie = z.strictObject({
  message: text(130),
  alias: text(512),
  description: text(15_000),
  priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
  entity: text(512),
  source: text(100),
  tags: z.array(text(50)).max(20),
  details: z
    .record(z.string(), z.string())
    .refine((details) => Object.entries(details).flat().join('').length <= 8_000, '8,000 characters'),
});

/** Opsgenie: https://docs.opsgenie.com/docs/alert-api#close-alert */
const opsgenieClose = z.strictObject({ source: text(100), user: text(100), note: text(25_000) });

/** GitHub: https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event */
const githubRepositoryDispatch = z.strictObject({
  event_type: text(100),
  client_payload: z
    .record(z.string(), z.unknown())
    .refine((payload) => Object.keys(payload).length <= 10, '10 keys')
    .refine((payload) => bytes(payload) < 64 * 1_024, '64 KB'),
});

/** GitHub: the event and the issue that the workflow creates; a title has at most 256 characters, a body 65,536. */
const githubIssue = z.strictObject({
  event_type: z.literal('lockhound.issue'),
  client_payload: z
    .strictObject({
      action: z.enum(['open', 'comment', 'close']),
      key: text(50),
      title: text(256),
      body: text(65_536),
      labels: z.array(text(50)),
    })
    .refine((payload) => bytes(payload) < 64 * 1_024, '64 KB'),
});

/** Jira: a summary has at most 255 characters in one line, a description 32,767; labels have no spaces. */
const jiraIssue = z.strictObject({
  action: z.enum(['open', 'comment', 'close']),
  key: text(255).regex(/^\S+$/),
  summary: text(255).regex(/^[^\r\n]*$/),
  description: text(32_767),
  priority: z.enum(['Highest', 'High', 'Medium', 'Low', 'Lowest']),
  severity: z.string(),
  labels: z.array(text(255).regex(/^\S+$/)),
  link: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
});

const change = z.strictObject({
  target: z.string(),
  transition: z.enum(['opened', 'worsened', 'reopened', 'disputed', 'suppressed', 'resolved']),
  severity: z.string(),
  previousSeverity: z.string().nullable(),
  rule: z.string(),
  title: z.string(),
  ecosystem: z.string(),
  package: z.string(),
  version: z.string(),
  purl: z.string(),
  direct: z.boolean().nullable(),
  advisories: z.array(z.string()),
  url: z.string().nullable(),
  score: z.number().nullable(),
  disputed: z
    .array(
      z.strictObject({
        source: z.string(),
        says: z.string(),
        since: z.string().optional(),
        versions: z.string().optional(),
      }),
    )
    .nullable(),
  advice: z.string().nullable(),
  suspicion: z
    .object({
      score: z.number(),
      reasons: z.array(z.object({ signal: z.string(), points: z.number(), text: z.string() })),
    })
    .nullable(),
  priority: z
    .strictObject({
      score: z.number(),
      parts: z.array(z.strictObject({ name: z.string(), points: z.number(), reason: z.string() })),
    })
    .nullable(),
  kev: z.boolean().nullable(),
  epss: z.number().nullable(),
  fixes: z.array(
    z.strictObject({
      kind: z.string(),
      path: z.string(),
      changes: z.array(z.record(z.string(), z.string())),
      commands: z.array(z.string()),
    }),
  ),
  since: z.string().nullable(),
  age: z.number().nullable(),
  due: z.string().nullable(),
  reason: z.string().nullable(),
  suppressed: z
    .strictObject({ reason: z.string(), author: z.string().nullable(), expires: z.string().nullable() })
    .nullable(),
  locations: z.array(
    z.strictObject({ path: z.string(), line: z.number().nullable(), dependencyPath: z.array(z.string()) }),
  ),
  owners: z.array(z.string()),
  fingerprint: z.string(),
});

/** `lockhound.changes/1`. */
const generic = z.strictObject({
  schema: z.literal('lockhound.changes/1'),
  id: z.string(),
  route: z.string(),
  test: z.boolean(),
  firstScan: z.boolean(),
  reminder: z.boolean(),
  date: z.string(),
  scan: z.string(),
  target: z.string(),
  labels: z.record(z.string(), z.string()),
  severity: z.string(),
  summary: z.string(),
  counts: z.record(z.string(), z.number()),
  open: z.record(z.string(), z.number()),
  gaps: z.number(),
  changes: z.array(change),
  leftOut: z.number(),
});

/** What each receiver accepts, limits included. */
export const RECEIVERS: Readonly<Record<string, z.ZodType>> = {
  generic,
  slack,
  'microsoft-teams': microsoftTeams,
  pagerduty,
  opsgenie,
  'opsgenie-close': opsgenieClose,
  'github-repository-dispatch': githubRepositoryDispatch,
  'github-issue': githubIssue,
  'jira-issue': jiraIssue,
};
