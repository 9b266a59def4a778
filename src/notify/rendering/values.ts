import type { Secret } from '../../model/secret.ts';
import type { Alert } from '../alert/alert.ts';
import type { VariableValue } from '../webhooks/definition.ts';
import type { NotificationVariable } from './alert-variable.ts';
import { ALERT_VARIABLES } from './alert-variables.ts';
import { tagOf } from './platform-variables.ts';

/** What a `$NAME` stands for. */
export interface Value {
  readonly text: string;
  /** JSON text for an unquoted place in JSON. */
  readonly json: string;
  /** From the configuration: an operator wrote it, so it may be an address. Other values come from packages. */
  readonly trusted: boolean;
}

export interface Values {
  has(name: string): boolean;
  /** Worked out when it is asked for: most templates use few of many. */
  get(name: string): Value | undefined;
}

const BY_NAME: ReadonlyMap<string, NotificationVariable> = new Map(
  ALERT_VARIABLES.map((variable) => [variable.name, variable]),
);

/** The alert's variables and the custom ones, which win where both have a name. */
export function valuesOf(alert: Alert, custom: Readonly<Record<string, VariableValue>>): Values {
  return {
    has: knownNames(custom),
    get(name) {
      const own = Object.hasOwn(custom, name) ? custom[name] : undefined;
      if (own !== undefined) {
        const text = 'secret' in own ? own.secret.reveal() : own.value;
        return { text, json: asJson(text), trusted: true };
      }
      const tag = /^TAGS\[(.*)\]$/s.exec(name)?.[1];
      if (tag !== undefined) return alertValue(tagOf(alert, tag));
      const variable = BY_NAME.get(name);
      if (variable === undefined) return undefined;
      return alertValue('text' in variable ? variable.text(alert) : variable.json(alert));
    },
  };
}

/** Whether a template may use `$name`. */
export function knownNames(custom: Readonly<Record<string, unknown>>): (name: string) => boolean {
  return (name) => BY_NAME.has(name) || Object.hasOwn(custom, name);
}

export function secretsIn(custom: Readonly<Record<string, VariableValue>>): readonly Secret[] {
  return Object.values(custom).flatMap((value) => ('secret' in value ? [value.secret] : []));
}

function alertValue(value: unknown): Value {
  const json = JSON.stringify(value);
  return { text: typeof value === 'string' ? value : json, json, trusted: false };
}

/** The platform puts text in place: `5` and `true` stay what they are; anything that is no JSON becomes a string. */
function asJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
