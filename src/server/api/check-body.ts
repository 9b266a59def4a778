import type { RestDescription } from '../../discovery/description/description.ts';
import type { ApiMethod } from '../../discovery/description/methods.ts';
import { checkRequestBody } from '../../discovery/request/schema-check.ts';
import { Refusal } from '../../operations/refusal.ts';
import { formSchemaName, formValue, MultipartBody, scanOfForm } from './multipart.ts';

/** The body of a request as a value of the request schema. Throws `Refusal` for one that does not fit. */
export function checkedBody(
  document: RestDescription,
  { id, description }: ApiMethod,
  body: unknown = {},
): unknown {
  if (description.request === undefined) return body;
  const isForm = body instanceof MultipartBody;
  if (isForm && description.supportsMediaUpload !== true)
    throw new Refusal(415, 'invalid-media-type', `${id} takes application/json`);
  const form = formSchemaName(description.request);
  const problems = isForm
    ? checkRequestBody(document, { $ref: form }, formValue(document, form, body), id)
    : checkRequestBody(document, description.request, body, id);
  if (problems.length === 0) return isForm ? scanOfForm(body) : body;
  const shown = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new Refusal(400, 'invalid-body', `the body does not fit its schema: ${shown}`);
}
