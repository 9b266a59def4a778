import type { Cluster } from 'ioredis';

/**
 * Makes the duplicates of a client of a Redis Cluster, and theirs, ask for its slots when the client lost a node. Only the client itself asks
 * from time to time (`slotsRefreshInterval`): otherwise each of them would wait for the answer of a frozen primary, one after the other,
 * until `socketTimeout`, whatever replica took over meanwhile.
 */
export function followSlots(cluster: Cluster): Cluster {
  const duplicate = cluster.duplicate.bind(cluster);
  cluster.duplicate = (nodes, options) => {
    const copy = followSlots(duplicate(nodes, { ...options, slotsRefreshInterval: undefined }));
    copy.setMaxListeners(cluster.getMaxListeners());
    const refresh = (): void => {
      if (copy.status === 'ready') copy.refreshSlotsCache();
    };
    cluster.on('-node', refresh);
    copy.once('end', () => cluster.off('-node', refresh));
    return copy;
  };
  return cluster;
}
