import { createHash } from 'node:crypto';
import { MIMEType } from 'node:util';
import type { RestDescription, SchemaDescription } from '../../discovery/description/description.ts';
import { defined } from '../../model/defined.ts';
import { labelsOf } from '../../operations/parameters.ts';
import { Refusal } from '../../operations/refusal.ts';

/** A body of `multipart/form-data`. */
export class MultipartBody {
  /** Values of the fields by name. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Files in the order of the body. */
  readonly files: readonly { readonly path: string; readonly content: Buffer }[];
  /** SHA-256 of the body, hex. */
  readonly digest: string;

  constructor(fields: MultipartBody['fields'], files: MultipartBody['files'], digest: string) {
    this.fields = fields;
    this.files = files;
    this.digest = digest;
  }
}

/** The request of a form, whose fields were checked against `SubmitScanForm`. The name of a file is its path. */
export function scanOfForm({ fields, files }: MultipartBody) {
  const one = (name: string): string | undefined => fields.get(name)?.[0];
  const [format, scan] = [one('format'), one('scan')];
  const [release, supportedUntil] = [one('release'), one('supportedUntil')];
  return {
    target: one('target'),
    labels: labelsOf(fields.get('label')) ?? {},
    partial: one('partial') === 'true',
    ...defined({ scan, release, supportedUntil }),
    lockfiles: files.map(({ path, content: bytes }) => ({ path, bytes, ...defined({ format }) })),
  };
}

const MAX_PARTS = 10_000;

/** Throws `Refusal` for a body that is malformed. */
export async function readMultipart(body: Buffer, contentType: string): Promise<MultipartBody> {
  const fields = new Map<string, string[]>();
  const files: { readonly path: string; readonly content: Buffer }[] = [];
  requireFewParts(body, boundaryOf(contentType));
  for (const [name, value] of await formData(body, contentType)) {
    if (typeof value === 'string') {
      const known = fields.get(name);
      if (known === undefined) fields.set(name, [value]);
      else known.push(value);
    } else files.push({ path: value.name, content: Buffer.from(await value.arrayBuffer()) });
  }
  return new MultipartBody(fields, files, createHash('sha256').update(body).digest('hex'));
}

/** Name of the schema of the form of a request: that of its JSON and `Form`. */
export function formSchemaName(request: SchemaDescription): string {
  return `${request.$ref}Form`;
}

/**
 * A body as a value of its schema: repeated fields as lists, files as `file`. Throws `Refusal` for a field that the schema does not
 * have, and for one that is given twice.
 */
export function formValue(
  { schemas = {} }: RestDescription,
  schema: string,
  { fields, files }: MultipartBody,
): Readonly<Record<string, unknown>> {
  const value: Record<string, unknown> = { file: files.map(({ path }) => path) };
  const properties = new Map(Object.entries(schemas[schema]?.properties ?? {}));
  for (const [name, texts] of fields) {
    const property = properties.get(name);
    if (property === undefined || name === 'file')
      throw new Refusal(400, 'invalid-body', `there is no field ${name}`);
    const isList = property.type === 'array';
    if (!isList && texts.length > 1)
      throw new Refusal(400, 'invalid-body', `the field ${name} is given twice`);
    value[name] = isList ? texts : texts[0];
  }
  return value;
}

/** Throws `Refusal` before the body is parsed, because a part takes half a kilobyte of memory. */
function requireFewParts(body: Buffer, boundary: string): void {
  let parts = -1;
  for (let at = body.indexOf(boundary); at >= 0; at = body.indexOf(boundary, at + boundary.length)) {
    parts += 1;
    if (parts > MAX_PARTS)
      throw new Refusal(413, 'too-many-parts', `at most ${MAX_PARTS} parts are accepted`);
  }
}

function boundaryOf(contentType: string): string {
  try {
    const boundary = new MIMEType(contentType).params.get('boundary');
    if (boundary !== null && boundary !== '') return `--${boundary}`;
  } catch (cause) {
    throw notValid(cause);
  }
  throw notValid('there is no boundary');
}

async function formData(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData();
  } catch (cause) {
    throw notValid(cause);
  }
}

function notValid(cause: unknown): Refusal {
  return new Refusal(400, 'invalid-body', 'the body is not valid multipart/form-data', { cause });
}
