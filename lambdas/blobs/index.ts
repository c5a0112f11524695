import { accessTokenVerifier } from '../platform/access-token.ts';
import { configured } from '../platform/configuration.ts';
import { jmapGate } from '../platform/jmap-gate.ts';
import { logFor } from '../platform/log.ts';
import { principalsIn } from '../store/directory/principals.ts';
import { dynamodbTable } from '../store/dynamodb-table.ts';
import { s3Objects } from '../store/s3-objects.ts';
import { serveBlobs } from './blobs.ts';

const jmapUrl = configured('jmapUrl');

export const handler = serveBlobs({
  gate: jmapGate(accessTokenVerifier(), jmapUrl),
  principals: principalsIn(dynamodbTable(configured('directoryTable'))),
  objects: s3Objects(configured('mailBucket')),
  jmapUrl,
  log: logFor('blobs'),
});
