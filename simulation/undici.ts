/** Stands for `undici` in a history: requests are calls of the simulated world. */
import { requestOf } from './platform.ts';

export function buildConnector(): undefined {
  return undefined;
}

export interface Dispatcher {
  request(options: Parameters<ReturnType<typeof requestOf>>[0]): ReturnType<ReturnType<typeof requestOf>>;
}

export class Agent implements Dispatcher {
  readonly request: Dispatcher['request'] = (options) => requestOf()(options);

  async destroy(): Promise<void> {}
}
