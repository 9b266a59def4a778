import { notFound } from '../context.ts';
import type { Operation } from '../operation.ts';
import { findDelivery } from './select.ts';

/** A delivery with its attempts, and its changes until it is delivered. */
export const get: Operation<'lockhound.deliveries.get'> = async (
  { params: { delivery: id }, principal },
  context,
) => {
  const found = await findDelivery(context, principal, id);
  if (found === undefined) throw notFound(`there is no delivery ${id}: see \`lockhound deliveries\``);
  const { deliveries } = found.shard;
  const [attempts, notification] = await Promise.all([deliveries.attempts(id), deliveries.read(id)]);
  const changes = notification === undefined ? {} : { changes: notification.changes };
  return { delivery: found.delivery, attempts, ...changes };
};
