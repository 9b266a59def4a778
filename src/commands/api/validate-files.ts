import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RestDescription } from '../../discovery/description/description.ts';
import { countMethods } from '../../discovery/description/methods.ts';
import { type ValidatedFile, validateDescription } from '../../discovery/description/validate-description.ts';
import { codedError } from '../../files/errors.ts';
import { CodedError, messageOf } from '../../model/errors.ts';
import { isObject } from '../../model/json-object.ts';
import { readDocumentFile } from './documents.ts';

/** Validates files, and every `.json` file of folders, one after another. A file that cannot be read is an invalid result. */
export async function* validateFiles(paths: readonly string[]): AsyncGenerator<ValidatedFile> {
  for (const path of paths) {
    const files = await filesOf(path);
    if (files instanceof CodedError) {
      yield unusable(path, files.message);
      continue;
    }
    for (const file of files) yield await validateFile(file);
    // Without files the check would always pass.
    if (files.length === 0) yield unusable(path, 'is a folder without .json files');
  }
}

async function filesOf(path: string): Promise<readonly string[] | CodedError> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  try {
    const names = await readdir(path);
    return names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(path, name));
  } catch (error) {
    return codedError(path, error);
  }
}

function unusable(file: string, message: string): ValidatedFile {
  const problem = { severity: 'error', path: '$', message } as const;
  return { file, valid: false, id: null, methods: 0, schemas: 0, problems: [problem] };
}

async function validateFile(file: string): Promise<ValidatedFile> {
  let value: unknown;
  try {
    value = JSON.parse(await readDocumentFile(file));
  } catch (error) {
    const message = error instanceof CodedError ? error.message : `is not JSON: ${messageOf(error)}`;
    return unusable(file, message);
  }
  const problems = validateDescription(value);
  const document: RestDescription = isObject(value) ? value : {};
  return {
    file,
    valid: problems.every(({ severity }) => severity !== 'error'),
    id: typeof document.id === 'string' ? document.id : null,
    methods: countMethods(document),
    schemas: Object.keys(document.schemas ?? {}).length,
    problems,
  };
}
