import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { mapConcurrently } from '../core/runtime/map-concurrently.ts';
import { awsClientConfig, type AwsTarget } from '../sandbox/deployment/aws-target.ts';
import { logGroups, logLines } from '../sandbox/deployment/lambda-logs.ts';
import type { SandboxDescription } from '../sandbox/state/sandbox-description.ts';

const address = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/;
const token = /\beyJ[\w-]{8,}\.[\w-]{8,}/;

/** A subject of fewer characters may be a word of a log message. */
const leastLength = 12;

/** The subjects of all stored messages. Tests give each message a subject of its own. */
const storedSubjects = async (aws: AwsTarget, bucket: string): Promise<string[]> => {
  const client = new S3Client({ ...awsClientConfig(aws), forcePathStyle: true });
  try {
    const keys: string[] = [];
    for await (const { Contents } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: 'messages/' })) {
      keys.push(...(Contents ?? []).map(({ Key }) => Key!));
    }
    const subjects = await mapConcurrently(
      keys,
      async (Key) => {
        // A message may be removed meanwhile.
        const object = await client.send(new GetObjectCommand({ Bucket: bucket, Key, Range: 'bytes=0-4095' })).catch(() => undefined);
        return /^Subject: *(.*?)\r?$/im.exec((await object?.Body?.transformToString('latin1')) ?? '')?.[1] ?? '';
      },
      { atOnce: 8 },
    );
    return [...new Set(subjects)].filter((subject) => subject.length >= leastLength);
  } finally {
    client.destroy();
  }
};

/** Finds the reason for which a log line must not be there. @returns undefined for any other line. */
const findingIn = (line: string, subjects: readonly string[]): string | undefined => {
  // A frame of a stack has the @ of a package.
  const withoutPaths = line.replace(/node_modules\/\S+/g, '');
  if (address.test(withoutPaths)) return 'an address';
  if (token.test(line)) return 'a token';
  if (line.includes('"omitted_fields"')) return 'fields that no line may have';
  return subjects.some((subject) => line.includes(subject)) ? 'the subject of a message' : undefined;
};

/**
 * The lines of all logs of a sandbox that have an address, a token, a subject, or a field that the logger omitted.
 * @returns a description of each line.
 */
export const findLoggedData = async ({ awsEndpointUrl, caCertificate, region, outputs }: SandboxDescription): Promise<string[]> => {
  const aws = { awsEndpointUrl, caCertificate, region };
  const subjects = await storedSubjects(aws, outputs['mailBucketName']!);
  const client = new CloudWatchLogsClient(awsClientConfig(aws));
  try {
    const found: string[] = [];
    let read = 0;
    for (const group of await logGroups(client)) {
      for (const { message } of await logLines(client, group)) {
        read += 1;
        const finding = findingIn(message, subjects);
        if (finding) found.push(`${group} has ${finding}: ${message}`);
      }
    }
    if (read === 0 || subjects.length === 0) found.push(`the logs have ${read} lines and the bucket ${subjects.length} subjects, so nothing was compared`);
    return found;
  } finally {
    client.destroy();
  }
};
