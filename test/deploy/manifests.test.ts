import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { COMMANDS } from '../../src/cli/catalog.ts';
import { loadConfig } from '../../src/config/load.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');
const BASE = join(DEPLOY, 'kubernetes', 'base');
const CONFIG = join(BASE, 'lockhound.yaml');
const HAS_KUBECTL = spawnSync('kubectl', ['version', '--client']).status === 0;
const SECRETS = ['LOCKHOUND_SECRET_ALERT_TOKEN', 'LOCKHOUND_SECRET_SIGNING'];

// biome-ignore lint/suspicious/noExplicitAny: YAML of other projects
type Yaml = any;

const compose: Yaml = parse(readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8'), { merge: true });
const objects: readonly Yaml[] = readdirSync(BASE)
  .filter((name) => name.endsWith('.yaml') && !/^(?:kustomization|lockhound)/.test(name))
  .flatMap((name) => parseAllDocuments(readFileSync(join(BASE, name), 'utf8')).map((one) => one.toJS()));
const kustomization: Yaml = parse(readFileSync(join(BASE, 'kustomization.yaml'), 'utf8'));
const deployments = objects.filter(({ kind }) => kind === 'Deployment');

describe('the configuration of the deployments', () => {
  it('is valid, with exactly the secrets that the manifests pass', () => {
    const environment = Object.fromEntries(
      [...SECRETS, 'REDIS_URL'].map((name) => [name, 'redis://redis:6379']),
    );
    const { config } = loadConfig({ file: CONFIG, environment });
    expect([config.worker.healthPort, config.serve.healthPort]).toEqual([8700, 8700]);
    const used = [...readFileSync(CONFIG, 'utf8').matchAll(/LOCKHOUND_SECRET_\w+/g)].map(([name]) => name);
    expect(new Set(used)).toEqual(new Set(SECRETS));
  });
});

describe('deploy/compose.yaml', () => {
  it('limits, checks and restarts every service', () => {
    expect(Object.keys(compose.services)).toEqual(['redis', 'worker', 'serve']);
    for (const service of Object.values<Yaml>(compose.services)) {
      expect(service.deploy.resources.limits).toEqual({
        memory: expect.stringMatching(/^\d+M$/),
        cpus: expect.any(String),
      });
      // Some engines split the arguments at spaces.
      expect(service.healthcheck.test.join(' ')).toMatch(/^CMD [\w/.:-]+(?: [\w/.:-]+)*$/);
      expect(service.healthcheck.test.some((part: string) => /\s/.test(part))).toBe(false);
      expect(service.restart).toBe('unless-stopped');
    }
  });

  it('runs Redis so that nothing is lost and nothing is evicted', () => {
    const { command } = compose.services.redis;
    const value = (name: string): string => command[command.indexOf(`--${name}`) + 1];
    expect([value('appendonly'), value('appendfsync'), value('maxmemory-policy')]).toEqual([
      'yes',
      'always',
      'noeviction',
    ]);
  });

  it('keeps the file with the secrets out of the repository and the image', () => {
    for (const name of ['.gitignore', '.dockerignore']) {
      const lines = readFileSync(join(DEPLOY, '..', name), 'utf8').split('\n');
      expect(lines.some((line) => /^(?:\*\*\/)?secrets\.env$/.test(line))).toBe(true);
    }
  });

  it('runs commands that exist, as an unprivileged read-only container, with the secrets by reference', () => {
    for (const name of ['worker', 'serve']) {
      const service = compose.services[name];
      expect(COMMANDS.map((command) => command.name)).toContain(service.command[0]);
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(service.env_file).toEqual(['secrets.env']);
      for (const secret of SECRETS) expect(Object.keys(service.environment)).not.toContain(secret);
      expect(service.image).toBe(`lockhound:${manifest.version}`);
    }
  });
});

describe('deploy/kubernetes', () => {
  it('lists every file, and the release', () => {
    const files = readdirSync(BASE).filter((name) => !/^(?:kustomization|lockhound)/.test(name));
    expect(new Set(kustomization.resources)).toEqual(new Set(files));
    expect(kustomization.images).toEqual([{ name: 'lockhound', newTag: manifest.version }]);
  });

  it.each(deployments.map((one) => [one.metadata.name, one]))(
    '%s keeps to the restricted pod security',
    (_name, one) => {
      const { spec } = one.spec.template;
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const container of spec.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits.memory).toBeDefined();
        expect(container.resources.requests).toEqual({ cpu: expect.any(String), memory: expect.any(String) });
        expect(container.livenessProbe && container.readinessProbe).toBeTruthy();
        expect(COMMANDS.map(({ name }) => name)).toContain(container.args[0]);
        const mounted = container.volumeMounts.map(({ name }: Yaml) => name);
        expect(mounted).toEqual(spec.volumes.map(({ name }: Yaml) => name));
      }
    },
  );

  it.each(deployments.map((one) => [one.metadata.name, one]))(
    '%s has its metrics and probes on the health port, which needs no token',
    (_name, one) => {
      const { metadata, spec } = one.spec.template;
      expect(metadata.annotations).toEqual({
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': '8700',
        'prometheus.io/path': '/metrics',
      });
      const [container] = spec.containers;
      expect(container.ports).toContainEqual({ name: 'health', containerPort: 8700 });
      for (const probe of [container.livenessProbe, container.readinessProbe])
        expect(probe.httpGet.port).toBe('health');
    },
  );

  it('gives workers the time to finish, and probes ports that they listen on', () => {
    const worker = deployments.find(({ metadata }) => metadata.name === 'lockhound-worker');
    const { config } = loadConfig({ file: CONFIG, environment: {} });
    expect(worker.spec.template.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(
      config.worker.shutdownGrace,
    );
    const [{ ports }] = worker.spec.template.spec.containers;
    expect(ports).toEqual([{ name: 'health', containerPort: config.worker.healthPort }]);
  });

  it('lets out what the documented settings need: names, Redis, HTTPS, git over ssh, the collector', () => {
    const policy = objects.find(({ kind }) => kind === 'NetworkPolicy');
    const ports = policy.spec.egress.flatMap((rule: Yaml) => rule.ports).map(({ port }: Yaml) => port);
    expect(new Set(ports)).toEqual(new Set([53, 6379, 26379, 443, 22, 4318]));
  });

  it.skipIf(!HAS_KUBECTL)('leaves the number of workers to KEDA (skipped without kubectl)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'overlay-'));
    try {
      cpSync(join(DEPLOY, 'kubernetes'), folder, { recursive: true });
      mkdirSync(join(folder, 'overlay'));
      const overlay = 'resources: [../base]\ncomponents: [../autoscaling]\n';
      writeFileSync(join(folder, 'overlay', 'kustomization.yaml'), overlay);
      const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(folder, 'overlay')], {
        encoding: 'utf8',
      });
      expect(status, stderr).toBe(0);
      const built = parseAllDocuments(stdout).map((one) => one.toJS());
      const scaled = built.find(({ kind }) => kind === 'ScaledObject');
      const worker = built.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === scaled.spec.scaleTargetRef.name,
      );
      expect(worker.spec.replicas).toBeUndefined();
      expect(worker.spec.template.spec.containers).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(!HAS_KUBECTL)('builds with `kubectl kustomize` (skipped without it)', () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', BASE], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const built = parseAllDocuments(stdout).map((one) => one.toJS());
    const policy = built.find(({ kind }) => kind === 'NetworkPolicy');
    for (const { kind, spec } of built) {
      if (kind !== 'Deployment') continue;
      expect(spec.template.metadata.labels).toMatchObject(policy.spec.podSelector.matchLabels);
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    }
  });
});
