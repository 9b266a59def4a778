import type { RestDescription } from '../discovery/description/description.ts';
import { type ApiMethod, findMethod } from '../discovery/description/methods.ts';
import { checkRequestBody } from '../discovery/request/schema-check.ts';
import { OPERATIONS } from './catalog.generated.ts';
import type { OperationContext } from './context.ts';
import type { Answer, Call, MethodId, Operation } from './operation.ts';
import type { Principal } from './principal.ts';
import { readParameters } from './read-parameters.ts';
import { Refusal } from './refusal.ts';

/** Values of parameters as text, by name; those of a repeated one in a list. */
export type ParameterTexts = Readonly<Record<string, string | readonly string[] | undefined>>;

export type CallOptions = Partial<Pick<Call, 'signal' | 'layout'>> & { readonly body?: unknown };

/** Calls an operation with the rights of one caller, and checks what it is called with. Throws `Refusal` and coded errors. */
export type CallOperation = <Id extends MethodId>(
  id: Id,
  params: ParameterTexts,
  options?: CallOptions,
) => Promise<Answer<Id>>;

/** Calls operations in this process. `hasAnyPage`: pages may be larger than the document says. */
export function createCall(
  document: RestDescription,
  context: OperationContext,
  principal: Principal,
  hasAnyPage = false,
): CallOperation {
  return async (id, given, { body, signal = new AbortController().signal, layout } = {}) => {
    const method = findMethod(document, id);
    const { pageSize, ...others } = given;
    const isFree = hasAnyPage && pageSize !== undefined;
    const { path, query } = splitParameters(method, isFree ? others : given);
    const read = readParameters(method, path, query);
    const params = isFree ? { ...read, pageSize: Number(pageSize) } : read;
    const [problem] = checkRequestBody(document, method.description.request ?? {}, body, id);
    if (method.request !== undefined && problem !== undefined)
      throw new Refusal(400, 'invalid-body', `${problem.path} ${problem.message}`);
    const load: Readonly<Record<string, () => Promise<unknown>>> = OPERATIONS;
    const operation = (await load[id]?.()) as Operation<MethodId>;
    return (await operation({ params, body, signal, layout, principal } as never, context)) as never;
  };
}

/** The parameters of a method as `readParameters` takes them. */
function splitParameters(method: ApiMethod, params: ParameterTexts) {
  const path: Record<string, string> = {};
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    if (method.parameters.get(name)?.location === 'path') path[name] = String(value);
    else for (const one of [value].flat()) query.append(name, one);
  }
  return { path, query };
}
