import { createHash } from 'node:crypto';

/** The digest of a layer without any file, as every tool writes it. */
const EMPTY_LAYER = 'sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef';

interface ImageHistory {
  readonly empty_layer?: boolean | undefined;
}

/**
 * The chains of layers that are not empty, the lowest first, by the OCI specification: the identifier of the first layer is its digest, and
 * each other one is the digest of the identifier below and its own digest. Each layer has the identifier of the chain without empty layers, and
 * the one with them where that differs. An empty layer may be one of the listed layers, or only part of the history; a chain with empty layers
 * ends with those that follow its last layer.
 */
export function chainsOf(diffIds: readonly string[], history: readonly ImageHistory[]): string[][] {
  const layers: Set<string>[] = [];
  let [without, withEmpty]: (string | undefined)[] = [undefined, undefined];
  for (const diffId of stepsOf(diffIds, history)) {
    withEmpty = chain(withEmpty, diffId);
    if (diffId !== EMPTY_LAYER) {
      without = chain(without, diffId);
      layers.push(new Set([without]));
    }
    // Empty layers below the first one belong to it.
    layers.at(-1)?.add(withEmpty);
  }
  return layers.map((ids) => [...ids]);
}

/** The digests of layers in the order of the history. A history that does not fit the layers says nothing. */
function stepsOf(diffIds: readonly string[], history: readonly ImageHistory[]): readonly string[] {
  const stated = history.filter(({ empty_layer }) => empty_layer !== true).length;
  if (stated !== diffIds.length) return diffIds;
  const left = diffIds.values();
  return history.map(({ empty_layer }) =>
    empty_layer === true ? EMPTY_LAYER : (left.next().value ?? EMPTY_LAYER),
  );
}

function chain(below: string | undefined, diffId: string): string {
  if (below === undefined) return diffId;
  return `sha256:${createHash('sha256').update(`${below} ${diffId}`).digest('hex')}`;
}
