/** An event as the platform accepts it. */
export interface PlatformEvent {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly alertType: string;
  readonly priority: string;
  readonly aggregationKey: string;
  /** Milliseconds since 1970. */
  readonly date: number;
}

const TITLE_LIMIT = 500;
const TEXT_LIMIT = 4_000;
const KEY_LIMIT = 100;

/** The event in a request's body, or the reason why it is not valid. */
export function readEvent(body: Readonly<Record<string, unknown>>, number: number): PlatformEvent | string {
  const { title, text, tags = [], alert_type: alertType = 'info', priority = 'normal' } = body;
  const key = body['aggregation_key'] ?? '';
  if (typeof title !== 'string' || title === '' || title.length > TITLE_LIMIT) return 'Invalid event title';
  if (typeof text !== 'string' || text === '' || text.length > TEXT_LIMIT) return 'Invalid event text';
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) return 'Invalid event tags';
  if (typeof key !== 'string' || key.length > KEY_LIMIT) return 'Invalid aggregation_key';
  if (typeof alertType !== 'string' || !ALERT_TYPES.has(alertType)) return 'Invalid alert_type';
  if (priority !== 'normal' && priority !== 'low') return 'Invalid priority';
  const id = String(number);
  return { id, title, text, tags, alertType, priority, aggregationKey: key, date: Date.now() };
}

const ALERT_TYPES: ReadonlySet<string> = new Set([
  ...['error', 'warning', 'info', 'success'],
  ...['user_update', 'recommendation', 'snapshot'],
]);

/** Names of the webhooks that an event mentions as `@webhook-NAME` (field notes). */
export function mentionsIn({ title, text }: PlatformEvent): readonly string[] {
  const found = `${title}\n${text}`.matchAll(/@webhook-([^\s@,;()"'<>]+)/g);
  return [...new Set([...found].map(([, name = '']) => name))];
}

/** The values of the platform's variables in a webhook that an event calls. */
export function variablesOf(event: PlatformEvent): ReadonlyMap<string, string> {
  return new Map([
    ['ID', event.id],
    ['EVENT_TITLE', event.title],
    ['EVENT_MSG', event.text],
    ['TEXT_ONLY_MSG', event.text],
    ['EVENT_TYPE', 'event_v1'],
    ['ALERT_TYPE', event.alertType],
    ['PRIORITY', event.priority],
    ['AGGREG_KEY', event.aggregationKey],
    ['TAGS', event.tags.join(',')],
    ['DATE', String(event.date)],
    ['LAST_UPDATED', String(event.date)],
    ['ORG_ID', '1'],
    ['ORG_NAME', 'local'],
    ['USER', ''],
    ['HOSTNAME', ''],
    ['LINK', ''],
  ]);
}
