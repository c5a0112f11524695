import { setTimeout as delay } from 'node:timers/promises';
import { ChangeResourceRecordSetsCommand, CreateHostedZoneCommand, ListHostedZonesByNameCommand, Route53Client } from '@aws-sdk/client-route-53';
import type { DNSRecord, Domain } from '../../contract/admin/domains.ts';
import { listAll, type AdminApiClient } from '../clients/admin-api-client.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import { awsClientConfig, type AwsTarget } from './aws-target.ts';

const ensureHostedZone = async (route53: Route53Client, name: string): Promise<string> => {
  const { HostedZones } = await route53.send(new ListHostedZonesByNameCommand({ DNSName: name }));
  const found = HostedZones?.find((zone) => zone.Name === `${name}.`)?.Id;
  if (found) return found;
  const made = await route53.send(new CreateHostedZoneCommand({ Name: name, CallerReference: `sandbox-${Date.now()}` }));
  return made.HostedZone?.Id ?? '';
};

const route53Value = (record: DNSRecord): string => (record.record_type === 'TXT' && !record.value.startsWith('"') ? `"${record.value}"` : record.value);

const recordsOf = ({ dns_validation: dns }: Domain): DNSRecord[] =>
  [
    ...(dns?.dkim_records ?? []),
    ...(dns?.mail_from_records ?? []),
    dns?.mx_record,
    dns?.dmarc_record,
    dns?.spf_record,
    ...(dns?.autodiscovery_records ?? []),
  ].filter((record) => record !== undefined);

/** Writes the domain's DNS records to the hosted zone, in one change. */
const publishRecords = async (route53: Route53Client, zoneId: string, records: readonly DNSRecord[]): Promise<void> => {
  const sets = Map.groupBy(records, (record) => `${record.name} ${record.record_type}`);
  await route53.send(
    new ChangeResourceRecordSetsCommand({
      HostedZoneId: zoneId,
      ChangeBatch: {
        Changes: [...sets.values()].map((set) => ({
          Action: 'UPSERT',
          ResourceRecordSet: {
            Name: set[0]!.name,
            Type: set[0]!.record_type,
            TTL: set[0]!.ttl,
            ResourceRecords: [...new Set(set.map(route53Value))].map((Value) => ({ Value })),
          },
        })),
      },
    }),
  );
};

const getDomain = async (admin: AdminApiClient, id: string): Promise<Domain> =>
  (await admin<{ domain: Domain }>('domains/GetDomain', { id, include_dns_validation: true })).domain;

const verificationTimeout = 30_000;

/**
 * Sets up a domain for sending and receiving: registers it, publishes its records in the emulated Route 53 and waits
 * until it is verified. Does nothing for a domain that is set up already.
 */
export const ensureMailDomain = async (
  admin: AdminApiClient,
  aws: AwsTarget,
  name: string,
  { signal, detail }: { signal: AbortSignal; detail: (text: string) => void },
): Promise<Domain> => {
  const existing = (await listAll<Domain>(admin, 'domains/ListDomains', 'domains')).find(({ domain }) => domain === name);
  if (existing?.verification_status === 'SUCCESS' && existing.receive_enabled) return existing;
  const { id } = existing ?? (await admin<{ domain: Domain }>('domains/AddDomain', { domain: name, receive_enabled: true })).domain;
  const route53 = new Route53Client(awsClientConfig(aws));
  try {
    const records = recordsOf(await getDomain(admin, id));
    detail(`${records.length} DNS records`);
    await publishRecords(route53, await ensureHostedZone(route53, name), records);
  } finally {
    route53.destroy();
  }
  for (const until = Date.now() + verificationTimeout; Date.now() < until;) {
    const domain = await getDomain(admin, id);
    if (domain.verification_status === 'SUCCESS') return domain;
    detail(`verification is ${domain.verification_status}`);
    await delay(250, undefined, { signal });
  }
  throw new SandboxError(`The domain ${name} was not verified within ${verificationTimeout / 1000} s.`, "The Lambda's log: npm run sandbox -- logs domains");
};
