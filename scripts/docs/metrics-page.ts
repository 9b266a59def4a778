import { createRegistry } from '../../src/server/metrics/registry.ts';
import { cell, codes, row, table } from './markdown.ts';

const HEAD = `<!-- Written by \`npm run generate\` from the registry of metrics. -->

# All metrics

What \`/metrics\` of a worker and of \`lockhound serve\` has, in the text format of Prometheus. [Operating](../operating.md#metrics) says what to watch, and which
of them count one process or all workers.
`;

/** The page of all metrics; those of the process and of Node are of prom-client. */
export function metricsPage(): string {
  const { registry } = createRegistry();
  const rows = registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith('lockhound_'))
    .map((metric) => {
      const { name, help, type } = metric;
      const labels = (metric as { readonly labelNames?: readonly string[] }).labelNames ?? [];
      return row([`\`${name}\``, String(type), codes(labels), cell(help)]);
    });
  return `${HEAD}\n${table(['metric', 'type', 'labels', 'meaning'], rows)}
\`process_*\` and \`nodejs_*\` are the metrics of [prom-client](https://github.com/siimon/prom-client): processor time, memory, lag of the event loop, garbage collection.
`;
}
