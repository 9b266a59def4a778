import { alertOf } from '../alert/alert.ts';
import { type Sample, sampleNotifications } from '../alert/sample-notifications.ts';
import { NotifyError } from '../errors.ts';
import { renderRequest } from '../rendering/render-request.ts';
import { splitTemplate } from '../rendering/template.ts';
import { type Values, valuesOf } from '../rendering/values.ts';
import type { VariableValue, WebhookDefinition } from './definition.ts';

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
  const causes = variablesOf(definition, values).filter(
    (name) => failureOf(definition, without(values, name)) === undefined,
  );
  const cause = causes.length === 0 ? '' : `, because of $${causes.join(' or $')}`;
  return new NotifyError(error.code, `${error.message} (for ${event}${cause})`, { cause: error });
}

/** The variables that the templates of a webhook use. */
function variablesOf({ url, headers, payload }: WebhookDefinition, values: Values): readonly string[] {
  const templates = [url, ...Object.values(headers), payload ?? ''];
  const pieces = templates.flatMap((template) => splitTemplate(template, values.has));
  return [...new Set(pieces.flatMap((piece) => ('variable' in piece ? [piece.variable] : [])))];
}

/** The values with a harmless one for this variable. */
function without(values: Values, name: string): Values {
  const harmless = { text: 'x', json: '0', trusted: false };
  return { ...values, get: (asked) => (asked === name ? harmless : values.get(asked)) };
}
