import { context, propagation, type SpanAttributes, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Telemetry } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';
import { messageOf } from '../model/errors.ts';

export interface TracingOptions {
  /** URL of an OTLP/HTTP collector, with its path (`/v1/traces`). */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Part of the traces that is recorded, 0 to 1. */
  readonly ratio: number;
  readonly version: string;
  /** Called when the collector does not accept spans, with their number. */
  readonly onLost: (reason: string, spans: number) => void;
  /** Called when it accepts spans again. */
  readonly onRestored: () => void;
}

export interface Tracing {
  /** For queues, workers and flows. */
  readonly telemetry: Telemetry;
  state(): 'exported' | 'lost';
  /** Exports what is left, for at most some seconds. */
  close(): Promise<void>;
}

const EXPORT_MS = 5_000;
const FLUSH_MS = 3_000;

/**
 * Starts to trace this process: jobs by BullMQ, whose spans continue those of the jobs that queued them, and requests by undici. It
 * sets the global provider of OpenTelemetry, so there is one in a process.
 */
export function startTracing(options: TracingOptions): Tracing {
  const { endpoint, headers, ratio, version, onLost, onRestored } = options;
  let lost = false;
  const exporter = watched(
    new OTLPTraceExporter({ url: endpoint, headers: { ...headers }, timeoutMillis: EXPORT_MS }),
    {
      sent() {
        if (lost) onRestored();
        lost = false;
      },
      failed(reason, spans) {
        lost = true;
        onLost(reason, spans);
      },
    },
  );
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: withoutIdling(new TraceIdRatioBasedSampler(ratio)) }),
    resource: resourceFromAttributes({ 'service.name': 'lockhound', 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const requests = new UndiciInstrumentation({
    requireParentforSpans: true,
    // Paths and queries may hold secrets: many receivers put one there.
    requestHook: (span, { origin }) => span.setAttributes({ ...HIDDEN, 'url.full': String(origin) }),
  });
  requests.setTracerProvider(provider);
  requests.enable();
  return {
    telemetry: new BullMQOtel({ tracerName: 'lockhound', version }) as Telemetry,
    state: () => (lost ? 'lost' : 'exported'),
    async close() {
      requests.disable();
      const flushed = provider.shutdown().catch((error: unknown) => onLost(messageOf(error), 0));
      await Promise.race([flushed, new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref())]);
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}

const HIDDEN: SpanAttributes = { 'url.path': '', 'url.query': '' };

interface Watcher {
  sent(): void;
  failed(reason: string, spans: number): void;
}

/** Reports what becomes of each batch. */
function watched(exporter: SpanExporter, { sent, failed }: Watcher): SpanExporter {
  return {
    export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) sent();
        else failed(messageOf(result.error ?? 'unknown reason'), spans.length);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
}

/** Leaves out spans of workers that wait for jobs: they belong to no scan, and there are many. */
function withoutIdling(sampler: Sampler): Sampler {
  return {
    shouldSample(parent, traceId, name, kind, attributes, links) {
      if (kind === SpanKind.INTERNAL) return { decision: SamplingDecision.NOT_RECORD };
      return sampler.shouldSample(parent, traceId, name, kind, attributes, links);
    },
    toString: () => `WithoutIdling{${sampler}}`,
  };
}
