/** One request that reached the receiver. */
export interface Delivery {
  /** RFC 3339. */
  readonly receivedAt: string;
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What was taken under one `webhook-id`. */
export interface ReceivedWebhook extends Delivery {
  /** The `webhook-id` header; a number of its own for a delivery without one. */
  readonly id: string;
  /** Requests with that id that were taken: more than 1 when the sender repeated itself. */
  readonly taken: number;
  /** All requests with that id, refused and broken ones included. */
  readonly attempts: number;
}

/** Remembers deliveries and knows repeats by their `webhook-id`, as receivers are told to. */
export class DeliveryLog {
  readonly #taken = new Map<string, { first: Delivery; count: number }>();
  readonly #attempts = new Map<string, number>();
  #unnamed = 0;

  /** Counts an attempt and gives the id it goes under. */
  attempt({ headers }: Delivery): string {
    const id = headers['webhook-id'] ?? `unnamed-${++this.#unnamed}`;
    this.#attempts.set(id, (this.#attempts.get(id) ?? 0) + 1);
    return id;
  }

  take(id: string, delivery: Delivery): void {
    const known = this.#taken.get(id);
    if (known === undefined) this.#taken.set(id, { first: delivery, count: 1 });
    else known.count += 1;
  }

  /** Deliveries in the order in which they were first taken. */
  get webhooks(): readonly ReceivedWebhook[] {
    return [...this.#taken].map(([id, { first, count }]) => ({
      ...first,
      id,
      taken: count,
      attempts: this.#attempts.get(id) ?? count,
    }));
  }

  /** Requests of any outcome. */
  get attempts(): number {
    return [...this.#attempts.values()].reduce((sum, count) => sum + count, 0);
  }
}
