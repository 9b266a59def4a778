import { channel } from 'node:diagnostics_channel';

/*
 * What the parts of a process measure. Whoever wants the numbers (`/metrics`) subscribes; without a subscriber a measurement costs a
 * comparison. Listeners must not throw.
 */

/** One attempt of a request over the network. */
export interface HttpAttempt {
  /** The called service: `insights`, `platform`, `receiver`, `source` or `contract`. */
  readonly service: string;
  /** The HTTP status; absent when there was no answer. */
  readonly status?: number;
  readonly durationMs: number;
  /** Time that the request waited for its budget before it was sent. */
  readonly waitedMs: number;
}

/** Look-ups of package versions, advisories or dependency graphs that ended. */
export interface EndedLookUps {
  readonly kind: string;
  readonly outcome: 'found' | 'missing' | 'uncovered' | 'failed';
  readonly from: 'cache' | 'service';
  readonly count: number;
}

/** One attempt to deliver an alert. */
export interface DeliveryMeasured {
  readonly route: string;
  readonly result: 'accepted' | 'refused' | 'failed';
  readonly durationMs: number;
}

/** Imported data that are old, or of which a part or the present state cannot be read. */
export interface DataFault {
  readonly data: string;
  /** The fault; absent when the data can be read again. */
  readonly reason: string | undefined;
}

export const dataFaults = measurement<DataFault>('lockhound:data-fault');
export const httpAttempts = measurement<HttpAttempt>('lockhound:http-attempt');
export const endedLookUps = measurement<EndedLookUps>('lockhound:look-ups');
export const deliveryAttempts = measurement<DeliveryMeasured>('lockhound:delivery-attempt');
export const lostSpans = measurement<{ readonly count: number }>('lockhound:lost-spans');

function measurement<Message extends object>(name: string) {
  const one = channel(name);
  return {
    publish(message: Message): void {
      if (one.hasSubscribers) one.publish(message);
    },
    /** Returns a function that ends the subscription. */
    subscribe(listener: (message: Message) => void): () => void {
      const onMessage = (message: unknown): void => listener(message as Message);
      one.subscribe(onMessage);
      return () => void one.unsubscribe(onMessage);
    },
  };
}
