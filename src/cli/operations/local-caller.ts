import { userInfo } from 'node:os';
import type { LoadedConfig } from '../../config/load.ts';
import { readBundledDescription } from '../../discovery/bundled.ts';
import { type ApiMethod, findMethod } from '../../discovery/description/methods.ts';
import { checkRequestBody } from '../../discovery/request/schema-check.ts';
import { OPERATIONS } from '../../operations/catalog.generated.ts';
import { openLocalContext } from '../../operations/local-context.ts';
import type { MethodId, Operation } from '../../operations/operation.ts';
import { principalOf } from '../../operations/principal.ts';
import { readParameters } from '../../operations/read-parameters.ts';
import { Refusal } from '../../operations/refusal.ts';
import { type Caller, type ParameterTexts, presentValues } from './caller.ts';

/** Calls operations in this process, as the operator who may do everything. Pages are as large as the caller wants. */
export async function openLocalCaller(loaded: LoadedConfig): Promise<Caller> {
  const document = await readBundledDescription('lockhound.v1');
  const context = await openLocalContext(loaded);
  const principal = principalOf({ name: userName(), role: 'admin', targets: ['*'], via: 'machine' });
  return {
    maxPage: Number.POSITIVE_INFINITY,
    unreadable: context.fleet.unreadable,
    async call(id, { pageSize, ...texts }, { body, signal = new AbortController().signal, layout } = {}) {
      const method = findMethod(document, id);
      const { path, query } = splitParameters(method, texts);
      const params = {
        ...readParameters(method, path, query),
        ...(pageSize && { pageSize: Number(pageSize) }),
      };
      const [problem] = checkRequestBody(document, method.description.request ?? {}, body, id);
      if (method.request !== undefined && problem !== undefined)
        throw new Refusal(400, 'invalid-body', `${problem.path} ${problem.message}`);
      const load: Readonly<Record<string, () => Promise<unknown>>> = OPERATIONS;
      const operation = (await load[id]?.()) as Operation<MethodId>;
      return (await operation({ params, body, signal, layout, principal } as never, context)) as never;
    },
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

/** The parameters of a method as `readParameters` takes them. */
function splitParameters(method: ApiMethod, params: ParameterTexts) {
  const path: Record<string, string> = {};
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(presentValues(params))) {
    if (method.parameters.get(name)?.location === 'path') path[name] = String(value);
    else for (const one of [value].flat()) query.append(name, one);
  }
  return { path, query };
}
