import type { RestDescription } from '../../discovery/description/description.ts';
import type { ApiMethod } from '../../discovery/description/methods.ts';
import { checkRequestBody } from '../../discovery/request/schema-check.ts';
import { Refusal } from '../../operations/refusal.ts';
import { formSchemaName, formValue, MultipartBody } from './multipart.ts';

/** Throws `Refusal` for a body that does not fit the request schema of the method. */
export function checkBody(document: RestDescription, { id, description }: ApiMethod, body: unknown): void {
  if (description.request === undefined) return;
  const isForm = body instanceof MultipartBody;
  if (isForm && description.supportsMediaUpload !== true)
    throw new Refusal(415, 'invalid-media-type', `${id} takes application/json`);
  const form = formSchemaName(description.request);
  const problems = isForm
    ? checkRequestBody(document, { $ref: form }, formValue(document, form, body), id)
    : checkRequestBody(document, description.request, body, id);
  if (problems.length === 0) return;
  const shown = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new Refusal(400, 'invalid-body', `the body does not fit its schema: ${shown}`);
}
