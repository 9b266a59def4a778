import { requireWholeFleet } from '../../operations/context.ts';
import type { HttpOperations } from '../../server/api/http-operation.ts';
import type { ServeContext } from './serve-context.ts';

/** The verdict of `lockhound health`. */
export function healthOperations({
  health,
}: Pick<ServeContext, 'health'>): Pick<HttpOperations, 'lockhound.health.get'> {
  return {
    async 'lockhound.health.get'({ principal }) {
      requireWholeFleet(principal);
      return await health();
    },
  };
}
