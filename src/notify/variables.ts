import type { Notification } from '../model/notification.ts';
import type { Secret } from '../model/secret.ts';
import type { VariableValue } from './definition.ts';
import { NOTIFICATION_VARIABLES } from './notification-variables.ts';

/** What a `$NAME` stands for. */
export interface Value {
  readonly text: string;
  /** JSON text for an unquoted place in JSON. */
  readonly json: string;
  /** From the configuration: an operator wrote it, so it may be an address. Other values come from packages. */
  readonly trusted: boolean;
}

export type Values = ReadonlyMap<string, Value>;

/** The alert's variables and the custom ones, which win where both have a name. */
export function valuesOf(
  notification: Notification,
  custom: Readonly<Record<string, VariableValue>>,
): Values {
  const values = new Map<string, Value>();
  for (const variable of NOTIFICATION_VARIABLES) {
    const value = 'text' in variable ? variable.text(notification) : variable.json(notification);
    const json = JSON.stringify(value);
    values.set(variable.name, { text: typeof value === 'string' ? value : json, json, trusted: false });
  }
  for (const [name, value] of Object.entries(custom)) {
    const text = 'secret' in value ? value.secret.reveal() : value.value;
    values.set(name, { text, json: asJson(text), trusted: true });
  }
  return values;
}

/** Whether a template may use `$name`. */
export function knownNames(custom: Readonly<Record<string, unknown>>): (name: string) => boolean {
  return (name) => OWN_NAMES.has(name) || Object.hasOwn(custom, name);
}

export function secretsIn(custom: Readonly<Record<string, VariableValue>>): readonly Secret[] {
  return Object.values(custom).flatMap((value) => ('secret' in value ? [value.secret] : []));
}

const OWN_NAMES: ReadonlySet<string> = new Set(NOTIFICATION_VARIABLES.map(({ name }) => name));

/** The platform puts text in place: `5` and `true` stay what they are; anything that is no JSON becomes a string. */
function asJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
