// Generated from src/config/schema.ts by `npm run generate`. Do not edit.
import type { Config } from './schema.ts';

/** The configuration when nothing is configured. */
export const DEFAULTS: Config = {
  "redis": {
    "prefix": "{lockhound}",
    "shards": 1
  },
  "insights": {
    "url": "https://api.deps.dev",
    "timeout": 30000,
    "concurrency": 32,
    "recordTtl": 21600000,
    "missTtl": 900000,
    "privatePackages": [],
    "mirrors": []
  },
  "policy": {
    "unknownSeverity": "medium",
    "unindexedAfter": 1209600000,
    "targetSuppressions": "high",
    "minimumAge": 259200000,
    "sharedSuppressions": false,
    "developmentStep": 0,
    "dueIn": {},
    "rules": {},
    "byLabel": []
  },
  "suppressions": [],
  "vex": [],
  "lockfiles": {
    "maxBytes": 104857600,
    "maxPackages": 500000,
    "retention": 1209600000
  },
  "worker": {
    "retention": 1209600000,
    "lockDuration": 30000,
    "recheck": {
      "open": 60000,
      "turn": 900000,
      "held": 300000
    },
    "shutdownGrace": 20000,
    "healthHost": "127.0.0.1"
  },
  "serve": {
    "host": "127.0.0.1",
    "port": 8705,
    "healthHost": "127.0.0.1",
    "maxBodyBytes": 67108864,
    "receiveTimeout": 30000,
    "requestsPerSecond": 500,
    "sources": [],
    "triggers": []
  },
  "contract": {
    "interval": 21600000,
    "documents": {}
  },
  "watch": {
    "every": 21600000,
    "young": 600000,
    "staleAfter": 86400000,
    "jitter": 60000,
    "inspect": true,
    "unwatchedAfter": 86400000,
    "timeout": 300000,
    "allowAddresses": [],
    "maxRepositoryBytes": 1073741824
  },
  "data": {
    "epss": {
      "every": 86400000
    },
    "kev": {
      "every": 21600000
    },
    "allowAddresses": []
  },
  "schedules": [],
  "credentials": {},
  "traces": {
    "ratio": 1
  },
  "log": {
    "level": "info"
  }
};
