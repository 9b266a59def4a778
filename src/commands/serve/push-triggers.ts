import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { firstShard } from '../../operations/context.ts';
import { Refusal } from '../../operations/refusal.ts';
import { submitSource } from '../../operations/scans/source-scan.ts';
import type { AskStore } from '../../server/api/ask-store.ts';
import { callerAddress } from '../../server/api/auth/caller-address.ts';
import { createRequestRates } from '../../server/api/auth/request-rates.ts';
import { createOpenBodies } from '../../server/api/open-bodies.ts';
import { PUSH_WINDOW_MS, readPush, requireSignatureHeader } from '../../server/triggers/push.ts';
import type { ServeContext } from './serve-context.ts';

/** Webhooks of pushes are at most 25 MB; those of large pushes have few commits, because lists are cut. */
const MAX_BODY_BYTES = 26_214_400;
/** Bodies that are received at the same time, in bytes. Their signature is checked afterwards. */
const MAX_ALL_BODIES = 134_217_728;
/** Senders give a webhook up after 10 s. */
const MAX_BODY_MS = 15_000;
/** Webhooks of one address that are not signed, in a second. */
const FAILURES_PER_SECOND = 5;

/**
 * Adds `POST /hooks/<name>` for each trigger of the configuration: a push to the default branch scans the repository. A repetition within
 * a day is ignored, and an older push of GitHub is refused; GitLab states no time. Throws `ConfigError` for a secret that cannot be read.
 */
export function addPushTriggers(
  app: FastifyInstance,
  context: Pick<ServeContext, 'loaded' | 'fleet'> & { readonly askStore: AskStore },
  log: Pick<Logger, 'info'>,
): void {
  const { loaded, fleet, askStore } = context;
  const { serve } = loaded.config;
  const { apiAnswers } = firstShard(fleet);
  const triggers = new Map(
    serve.triggers.map((trigger) => {
      const secret = loaded.secrets.triggers?.get(trigger.name)?.reveal() ?? '';
      return [trigger.name, { ...trigger, secret }] as const;
    }),
  );
  const countRequest = createRequestRates(serve.requestsPerSecond);
  const countFailure = createRequestRates(FAILURES_PER_SECOND);
  const openBodies = createOpenBodies({ maxTotal: MAX_ALL_BODIES, maxMs: MAX_BODY_MS });
  const triggerOf = ({ params }: FastifyRequest) => {
    const { name } = params as { readonly name: string };
    const trigger = triggers.get(name);
    if (trigger === undefined) throw new Refusal(404, 'not-found', `there is no trigger ${name}`);
    return trigger;
  };
  /** Limits the forged webhooks of an address, and not those that are signed. */
  const signed = <Result>({ socket }: FastifyRequest, check: () => Result): Result => {
    try {
      return check();
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) countFailure(callerAddress(socket));
      throw error;
    }
  };
  app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers();
    hooks.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    // Before the body is received.
    hooks.addHook('onRequest', async (request) => {
      const { name, kind, secret } = triggerOf(request);
      countRequest(`${name} ${callerAddress(request.socket)}`);
      signed(request, () => requireSignatureHeader(kind, secret, request.headers));
    });
    hooks.post(
      '/hooks/:name',
      { bodyLimit: MAX_BODY_BYTES, config: { openBodies } },
      async (request, reply) => {
        const { name, kind, secret, prefix, labels } = triggerOf(request);
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const push = signed(request, () =>
          readPush(kind, secret, { headers: request.headers, body, now: Date.now() }),
        );
        if (push === undefined) return reply.code(202).send({ ignored: 'no push to the default branch' });
        const scan = `push-${push.digest.slice(0, 40)}`;
        const known = `${name} ${push.digest}`;
        const target = { id: `${prefix}${push.name}`, labels };
        const answer = await askStore(async () => {
          if (await apiAnswers.isKnown(known)) return { scan, ignored: 'the push is known' };
          const source = { kind: 'git', url: push.repository, ref: push.ref } as const;
          await submitSource(context, { scan, target, source });
          await apiAnswers.remember(known, PUSH_WINDOW_MS);
          log.info({ trigger: name, target: target.id, scan }, 'a push starts a scan');
          return { scan };
        });
        return reply.code(202).send(answer);
      },
    );
  });
}
