import { Secret } from '../model/secret.ts';

/** The token for a running server, from `LOCKHOUND_TOKEN`: arguments are visible to other users. `undefined` when it is not set. */
export function serverToken(): Secret | undefined {
  const token = process.env['LOCKHOUND_TOKEN'];
  return token === undefined || token === '' ? undefined : new Secret(token);
}
