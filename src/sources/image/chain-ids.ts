import { createHash } from 'node:crypto';

/** The digest of a layer without any file, as every tool writes it. */
const EMPTY_LAYER = 'sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef';

/** One layer of an image, the first one lowest. */
export interface ImageLayer {
  /** The identifiers of the chain up to this layer: without empty layers, and with them, where that differs. */
  readonly chainIds: readonly string[];
  /** The command that created it, where the image says so. */
  readonly createdBy?: string;
}

interface ImageHistory {
  readonly created_by?: string | undefined;
  readonly empty_layer?: boolean | undefined;
}

/**
 * The chains of layers that are not empty, by the OCI specification: the identifier of the first layer is its digest, and each other one is
 * the digest of the identifier below and its own digest. An empty layer may be one of the listed layers, or only part of the history; a
 * chain with empty layers ends with those that follow its last layer.
 */
export function chainsOf(
  diffIds: readonly string[],
  history: readonly ImageHistory[],
): readonly ImageLayer[] {
  const layers: ImageLayer[] = [];
  let [without, withEmpty]: (string | undefined)[] = [undefined, undefined];
  let next = 0;
  for (const { diffId, createdBy } of stepsOf(diffIds, history)) {
    withEmpty = chain(withEmpty, diffId ?? EMPTY_LAYER);
    const isEmpty = diffId === undefined || diffId === EMPTY_LAYER;
    if (!isEmpty) {
      without = chain(without, diffId);
      layers.push({ chainIds: [], ...(createdBy === undefined ? {} : { createdBy }) });
      next = layers.length - 1;
    }
    // Empty layers below the first one belong to it.
    const known = layers[next];
    if (known === undefined || without === undefined) continue;
    layers[next] = { ...known, chainIds: [...new Set([...known.chainIds, without, withEmpty])] };
  }
  return layers;
}

/** The layers in the order of the history. A history that does not fit the layers says nothing. */
function stepsOf(diffIds: readonly string[], history: readonly ImageHistory[]) {
  const stated = history.filter(({ empty_layer }) => empty_layer !== true).length;
  if (stated !== diffIds.length) return diffIds.map((diffId) => ({ diffId, createdBy: undefined }));
  let next = 0;
  return history.map(({ created_by: createdBy, empty_layer }) => ({
    diffId: empty_layer === true ? undefined : diffIds[next++],
    createdBy,
  }));
}

function chain(below: string | undefined, diffId: string): string {
  if (below === undefined) return diffId;
  return `sha256:${createHash('sha256').update(`${below} ${diffId}`).digest('hex')}`;
}
