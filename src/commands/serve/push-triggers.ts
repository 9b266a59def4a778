import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Refusal } from '../../server/api/problem.ts';
import { PUSH_WINDOW_MS, readPush } from '../../server/triggers/push.ts';
import type { ServeContext } from './serve-context.ts';
import { sourceScans } from './source-scans.ts';

/** Webhooks of pushes are at most 25 MB; those of large pushes have few commits, because lists are cut. */
const MAX_BODY_BYTES = 26_214_400;

/**
 * Adds `POST /hooks/<name>` for each trigger of the configuration: a push to the default branch scans the repository. A repetition within
 * a day is ignored, and an older push of GitHub is refused; GitLab states no time.
 */
export function addPushTriggers(
  app: FastifyInstance,
  { loaded, shared }: Pick<ServeContext, 'loaded' | 'shared'>,
  log: Pick<Logger, 'info'>,
): void {
  const { serve } = loaded.config;
  const { apiAnswers } = shared.store;
  const scans = sourceScans(loaded, shared);
  const triggers = new Map(serve.triggers.map((trigger) => [trigger.name, trigger]));
  app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers();
    hooks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    hooks.post('/hooks/:name', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
      const { name } = request.params as { readonly name: string };
      const trigger = triggers.get(name);
      const secret = loaded.secrets.triggers?.get(name)?.reveal();
      if (trigger === undefined || secret === undefined)
        throw new Refusal(404, 'not-found', `there is no trigger ${name}`);
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const push = readPush(trigger.kind, secret, { headers: request.headers, body, now: Date.now() });
      if (push === undefined) return reply.code(202).send({ ignored: 'no push to the default branch' });
      const scan = `push-${push.digest.slice(0, 40)}`;
      const known = `${name} ${push.digest}`;
      if (await apiAnswers.isKnown(known))
        return reply.code(202).send({ scan, ignored: 'the push is known' });
      const target = { id: `${trigger.prefix}${push.name}`, labels: trigger.labels };
      await scans.submit({ scan, target, source: { kind: 'git', url: push.repository, ref: push.ref } });
      await apiAnswers.remember(known, PUSH_WINDOW_MS);
      log.info({ trigger: name, target: target.id, scan }, 'a push starts a scan');
      return reply.code(202).send({ scan });
    });
  });
}
