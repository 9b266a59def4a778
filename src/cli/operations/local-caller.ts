import { userInfo } from 'node:os';
import type { LoadedConfig } from '../../config/load.ts';
import { readBundledDescription } from '../../discovery/bundled.ts';
import { createCall } from '../../operations/call.ts';
import { openLocalContext } from '../../operations/local-context.ts';
import { principalOf } from '../../operations/principal.ts';
import type { Caller } from './caller.ts';

/** Calls operations in this process, as the operator who may do everything. Pages are as large as the caller wants. */
export async function openLocalCaller(loaded: LoadedConfig): Promise<Caller> {
  const document = await readBundledDescription('lockhound.v1');
  const context = await openLocalContext(loaded);
  const principal = principalOf({ name: userName(), role: 'admin', targets: ['*'], via: 'machine' });
  return {
    maxPage: Number.POSITIVE_INFINITY,
    unreadable: context.fleet.unreadable,
    call: createCall(document, context, principal, true),
    close: context.close,
  };
}

/** The name of the user, for the record. A system without one, such as a container, has `unknown`. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
