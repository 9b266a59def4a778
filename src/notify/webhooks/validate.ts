import { alertOf } from '../alert/alert.ts';
import { type Sample, sampleNotifications } from '../alert/sample-notifications.ts';
import { NotifyError } from '../errors.ts';
import { PLATFORM_VARIABLES } from '../rendering/platform-variables.ts';
import { renderRequest } from '../rendering/render-request.ts';
import { partlyKnownNames, splitTemplate, unknownNames } from '../rendering/template.ts';
import { ALERT_VARIABLES, knownNames, textOf, type Values, valuesOf } from '../rendering/values.ts';
import type { Desired, DesiredWebhook, VariableValue, WebhookDefinition } from './definition.ts';
import { DEFAULT_PAYLOAD } from './definition.ts';

type IsKnown = (name: string) => boolean;

/**
 * Rejects what cannot work, before anything is sent. Throws `NotifyError`: `bad-request` (names), `url-invalid`, `header-invalid`,
 * `template-invalid`, `variable-unknown` (a template uses an undefined variable). Messages hold no values.
 */
export function validateDesired(desired: Desired): void {
  for (const error of invalidRoutes(desired).values()) throw error;
}

/**
 * Returns why webhooks cannot work, by route, as `validateDesired` says it. Every webhook is also rendered for every kind of event
 * with the current values of its variables. Throws `NotifyError` (`bad-request`) for the name of a variable.
 */
export function invalidRoutes({ webhooks, variables }: Desired): ReadonlyMap<string, NotifyError> {
  const isKnown = knownNames(variables);
  for (const name of Object.keys(variables)) checkVariableName(name);
  const invalid = new Map<string, NotifyError>();
  for (const webhook of webhooks) {
    try {
      checkWebhook(webhook, variables, isKnown);
      if (webhooks.some((other) => other !== webhook && other.name === webhook.name)) {
        const message = `Two routes use a webhook named ${webhook.name}: give each its own name`;
        throw new NotifyError('bad-request', message);
      }
      proveTemplates(webhook, variables);
    } catch (error) {
      if (!(error instanceof NotifyError)) throw error;
      invalid.set(webhook.route, error);
    }
  }
  return invalid;
}

/** Returns the variables that the templates of a webhook use. */
export function usedVariables(
  { url, headers, payload }: WebhookDefinition,
  variables: Desired['variables'],
): readonly string[] {
  const isKnown = knownNames(variables);
  return [url, ...Object.values(headers), payload ?? ''].flatMap((template) =>
    variablesIn(template, isKnown),
  );
}

/** One line for each part of the configuration that works but is probably a mistake; holds no values. */
export function warningsOf({ webhooks, variables }: Desired): readonly string[] {
  const isKnown = knownNames(variables);
  return webhooks.flatMap((webhook) => {
    const secrets = variablesIn(webhook.url, isKnown).filter((name) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return value !== undefined && 'secret' in value;
    });
    return [
      ...secrets.map(
        (secret) =>
          `The URL of webhook ${webhook.name} holds the secret ${secret}, and other systems log URLs. ` +
          'Use a header instead if the receiver allows it',
      ),
      ...partlyKnown(webhook, isKnown),
    ];
  });
}

/** `$USER_TOKEN` is read as `$USER` and `_TOKEN` when USER_TOKEN is not defined, which is rarely intended. */
function partlyKnown({ name, url, headers, payload }: DesiredWebhook, isKnown: IsKnown): readonly string[] {
  const templates = [url, ...Object.values(headers), payload ?? ''];
  const found = templates.flatMap((template) => partlyKnownNames(template, isKnown));
  const unique = new Map(found.map((one) => [one.written, one]));
  return [...unique.values()].map(({ written, known }) => {
    const rest = JSON.stringify(written.slice(known.length));
    return `Webhook ${name} uses $${written}, which is not defined: it is read as $${known} followed by the text ${rest}`;
  });
}

/** With `delivery: platform-event` the platform renders: one line for each webhook that uses variables it lacks. */
export function platformWarningsOf({ webhooks, variables }: Desired): readonly string[] {
  const isKnown = knownNames(variables);
  return webhooks.flatMap(({ name, payload }) => {
    const own = variablesIn(payload ?? '', isKnown).filter(
      (one) => OWN_NAMES.has(one) && !Object.hasOwn(variables, one),
    );
    if (own.length === 0) return [];
    const list = own.map((one) => `$${one}`).join(', ');
    return [`The payload of webhook ${name} uses ${list}, which the platform does not replace`];
  });
}

const OWN_NAMES: ReadonlySet<string> = new Set(
  ALERT_VARIABLES.filter((variable) => !PLATFORM_VARIABLES.includes(variable)).map(({ name }) => name),
);

function variablesIn(template: string, isKnown: IsKnown): readonly string[] {
  const names = splitTemplate(template, isKnown).flatMap((piece) =>
    'variable' in piece ? [piece.variable] : [],
  );
  return [...new Set(names)];
}

function checkVariableName(name: string): void {
  if (/^[A-Z0-9_]+$/.test(name)) return;
  throw new NotifyError(
    'bad-request',
    `${JSON.stringify(name)} is not a valid name of a custom variable: use upper-case letters, digits and underscores`,
  );
}

function checkWebhook(webhook: DesiredWebhook, variables: Desired['variables'], isKnown: IsKnown): void {
  const { name, headers, payload } = webhook;
  if (name === '' || /\s/.test(name)) {
    throw new NotifyError(
      'bad-request',
      `${JSON.stringify(name)} is not a valid webhook name: it must not be empty or contain spaces`,
    );
  }
  checkUrl(webhook, variables, isKnown);
  for (const [header, value] of Object.entries(headers)) {
    checkKnown(value, isKnown, `The header ${header} of webhook ${name}`);
  }
  checkKnown(payload ?? DEFAULT_PAYLOAD, isKnown, `The payload of webhook ${name}`);
}

/** A URL begins with http://, https://, or a custom variable whose value does. */
function checkUrl({ name, url }: DesiredWebhook, variables: Desired['variables'], isKnown: IsKnown): void {
  checkKnown(url, isKnown, `The URL of webhook ${name}`);
  const [first] = splitTemplate(url, isKnown);
  if (first === undefined || 'text' in first) {
    if (/^https?:\/\/[^\s/]/i.test(url)) return;
    throw new NotifyError(
      'url-invalid',
      `The URL of webhook ${name} must begin with http://, https:// or a variable`,
    );
  }
  const value = Object.hasOwn(variables, first.variable) ? variables[first.variable] : undefined;
  if (value !== undefined && /^https?:\/\/[^\s/]/i.test(textOf(value).trim())) return;
  const reason =
    value === undefined
      ? 'which is not a custom variable'
      : 'whose value does not begin with http:// or https://';
  throw new NotifyError(
    'url-invalid',
    `The URL of webhook ${name} begins with $${first.variable}, ${reason}`,
  );
}

/** A name begins with a letter or `_`: `$5` is a price. */
function checkKnown(template: string, isKnown: IsKnown, subject: string): void {
  const names = unknownNames(template, isKnown).filter((name) => /^[A-Z_]/.test(name));
  if (names.length === 0) return;
  const list = names.map((name) => `$${name}`).join(', ');
  throw new NotifyError(
    'variable-unknown',
    `${subject} uses ${list}, which is not defined: define it in \`notify.variables\`, or correct its name`,
  );
}

/**
 * Renders a webhook for every kind of event, so that invalid URLs, line breaks in tokens and payloads that are not JSON are found
 * before an alert fails because of them. Throws `NotifyError` that names webhook, event and, where one variable is the cause, it.
 */
export function proveTemplates(
  definition: WebhookDefinition,
  variables: Readonly<Record<string, VariableValue>>,
): void {
  for (const sample of sampleNotifications()) {
    const values = valuesOf(alertOf(sample.notification), variables);
    const error = failureOf(definition, values);
    if (error !== undefined) throw explained(error, definition, sample, values);
  }
}

function failureOf(definition: WebhookDefinition, values: Values): NotifyError | undefined {
  try {
    renderRequest(definition, values);
    return undefined;
  } catch (error) {
    if (error instanceof NotifyError) return error;
    throw error;
  }
}

function explained(
  error: NotifyError,
  definition: WebhookDefinition,
  { event }: Sample,
  values: Values,
): NotifyError {
  const { url, headers, payload } = definition;
  const used = [url, ...Object.values(headers), payload ?? ''].flatMap((one) => variablesIn(one, values.has));
  const causes = [...new Set(used)].filter(
    (name) => failureOf(definition, without(values, name)) === undefined,
  );
  const cause = causes.length === 0 ? '' : `, because of $${causes.join(' or $')}`;
  return new NotifyError(error.code, `${error.message} (for ${event}${cause})`, { cause: error });
}

/** The values with a harmless one for this variable. */
function without(values: Values, name: string): Values {
  const harmless = { text: 'x', json: '0', trusted: false };
  return { ...values, get: (asked) => (asked === name ? harmless : values.get(asked)) };
}
