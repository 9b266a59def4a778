import { createHash } from 'node:crypto';
import type { RestDescription, SchemaDescription } from '../../discovery/description/description.ts';
import { Refusal } from './problem.ts';

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

const MAX_PARTS = 10_000;

/** Throws `Refusal` for a body that is malformed. */
export async function readMultipart(body: Buffer, contentType: string): Promise<MultipartBody> {
  const fields = new Map<string, string[]>();
  const files: { readonly path: string; readonly content: Buffer }[] = [];
  const digest = createHash('sha256').update(body).digest('hex');
  let parts = 0;
  for (const [name, value] of await formData(body, contentType)) {
    parts += 1;
    if (parts > MAX_PARTS)
      throw new Refusal(413, 'too-many-parts', `at most ${MAX_PARTS} parts are accepted`);
    if (typeof value === 'string') fields.set(name, [...(fields.get(name) ?? []), value]);
    else files.push({ path: value.name, content: Buffer.from(await value.arrayBuffer()) });
  }
  return new MultipartBody(fields, files, digest);
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

async function formData(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData();
  } catch (cause) {
    throw new Refusal(400, 'invalid-body', 'the body is not valid multipart/form-data', { cause });
  }
}
