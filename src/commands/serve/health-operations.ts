import type { Operations } from '../../server/api/operation.ts';
import { requireWholeFleet, type ServeContext } from './serve-context.ts';

/** The verdict of `lockhound health`. */
export function healthOperations({
  health,
}: Pick<ServeContext, 'health'>): Pick<Operations, 'lockhound.health.get'> {
  return {
    async 'lockhound.health.get'({ principal }) {
      requireWholeFleet(principal);
      return await health();
    },
  };
}
