import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { linksOf, type Port } from './service-link-variables.ts';

const PORTS: readonly Port[] = [
  { name: 'http', port: 80, protocol: 'TCP' },
  { name: 'health-check', port: 8700, protocol: 'TCP' },
  { port: 53, protocol: 'UDP' },
  { name: 'a', port: 9_999, protocol: 'SCTP' },
];
const SERVICES = ['lockhound', 'redis', 'lockhound-serve', 'lockhound-worker', 'lockhound-worker-health'];

describe('variables that Kubernetes sets for Services', () => {
  it.each([
    ['IPv4', '10.96.12.7'],
    ['IPv6', 'fd00:10:96::7'],
  ])('are ignored and named, for several ports and protocols (%s)', (_name, address) => {
    const links = Object.assign({}, ...SERVICES.map((service) => linksOf(service, address, PORTS)));
    const environment = { ...links, REDIS_URL: 'redis://redis:6379' };
    const loaded = loadConfig({ environment });
    expect(loaded.config).toEqual(loadConfig({ environment: { REDIS_URL: 'redis://redis:6379' } }).config);
    const own = Object.keys(links).filter((name) => name.startsWith('LOCKHOUND_'));
    expect(new Set(loaded.serviceLinks)).toEqual(new Set(own));
    expect(own).toHaveLength(4 * (3 + 4 * 4 + 3));
  });

  it('leave settings of the same shape in effect', () => {
    const environment = {
      ...linksOf('lockhound', '10.0.0.1', PORTS),
      ...linksOf('lockhound-serve', '10.0.0.2', PORTS),
      LOCKHOUND_SERVE_PORT: '8000',
      LOCKHOUND_WORKER_HEALTH_PORT: '8700',
    };
    const { config, serviceLinks } = loadConfig({ environment });
    expect([config.serve.port, config.worker.healthPort]).toEqual([8_000, 8_700]);
    expect(serviceLinks).not.toContain('LOCKHOUND_SERVE_PORT');
  });

  it.each([
    ['a port without its Service', { LOCKHOUND_SERVE_PORT: 'tcp://10.0.0.1:80' }],
    ['a host that is no address', { LOCKHOUND_SERVICE_HOST: 'lockhound' }],
    ['another name', { LOCKHOUND_SERVICE_HOST: '10.0.0.1', LOCKHOUND_SERVICE_HOSTS: '10.0.0.1' }],
    [
      'another protocol',
      { LOCKHOUND_SERVICE_HOST: '10.0.0.1', LOCKHOUND_PORT_80_QUIC: 'quic://10.0.0.1:80' },
    ],
    ['another value', { LOCKHOUND_SERVICE_HOST: '10.0.0.1', LOCKHOUND_PORT_80_TCP_ADDR: 'redis' }],
    ['no port', { LOCKHOUND_SERVICE_HOST: '10.0.0.1', LOCKHOUND_SERVICE_PORT: '99999' }],
  ])('do not hide a mistake: %s', (_name, environment) => {
    expect(() => loadConfig({ environment })).toThrow(/is not a setting|serve\.port/);
  });
});
