import { z } from 'zod';
import { readTextSync } from '../files/read-file.ts';
import { messageOf } from '../model/errors.ts';
import { Secret } from '../model/secret.ts';
import { ConfigError } from './errors.ts';

/** The configuration refers to secrets by environment variable or file and never holds their values. */
export const secretReference = z.union(
  [
    z.strictObject({
      env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable'),
    }),
    z.strictObject({ file: z.string().min(1) }),
  ],
  { error: 'secrets are given by reference: `{ env: NAME }` or `{ file: PATH }`' },
);

export type SecretReference = z.infer<typeof secretReference>;

const MAX_BYTES = 65_536;

type Environment = Readonly<Record<string, string | undefined>>;

/** The secret in an environment variable of this process, or `fallback` when it is unset. */
export function secretFromEnvironment(name: string, fallback: string): Secret {
  return new Secret(process.env[name] || fallback);
}

/** The secret in an environment variable that an option names; see `resolveSecret`. */
export function secretNamedBy(option: string, variable: string): Secret {
  return resolveSecret({ env: variable }, option, process.env);
}

/**
 * The secret behind a reference, read whenever it is used. One final line break of a file is dropped because editors and secret
 * mounts add it. `reveal` throws `ConfigError` (`secret-unavailable`) with the path in the configuration, never the value.
 */
export function resolveSecret(reference: SecretReference, path: string, environment: Environment): Secret {
  return new Secret(() =>
    'env' in reference ? fromVariable(reference.env, path, environment) : fromFile(reference.file, path),
  );
}

function fromVariable(name: string, path: string, environment: Environment): string {
  const value = environment[name];
  if (value !== undefined && value !== '') return value;
  throw new ConfigError('secret-unavailable', `${path}: environment variable ${name} is not set`);
}

function fromFile(file: string, path: string): string {
  let value: string;
  try {
    value = readTextSync(file, MAX_BYTES).replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigError('secret-unavailable', `${path}: ${messageOf(error)}`, { cause: error });
  }
  if (value !== '') return value;
  throw new ConfigError('secret-unavailable', `${path}: ${file} is empty`);
}

/** The token for a running server, from `LOCKHOUND_TOKEN`: arguments are visible to other users. `undefined` when it is not set. */
export function serverToken(): Secret | undefined {
  const token = process.env['LOCKHOUND_TOKEN'];
  return token === undefined || token === '' ? undefined : new Secret(token);
}
