import {
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  type ChangeAction,
  type ResourceRecordSet,
  type Route53Client,
} from '@aws-sdk/client-route-53';

/** A record set: its name, its type and its values. */
export type PublishedRecord = readonly [name: string, type: string, ...values: string[]];

const recordSet = ([name, type, ...values]: PublishedRecord): ResourceRecordSet => ({
  Name: name,
  Type: type as 'TXT',
  TTL: 300,
  ResourceRecords: values.map((Value) => ({ Value })),
});

/** Changes records of hosted zones. A zone is created by its first change. */
export const publishedRecords = (client: Route53Client) => {
  const zones = new Map<string, string>();
  const zoneId = async (zone: string): Promise<string> => {
    const id = zones.get(zone) ?? (await client.send(new CreateHostedZoneCommand({ Name: zone, CallerReference: zone }))).HostedZone!.Id!;
    zones.set(zone, id);
    return id;
  };
  return async (zone: string, records: readonly (PublishedRecord | ResourceRecordSet)[], action: ChangeAction = 'UPSERT'): Promise<void> => {
    await client.send(
      new ChangeResourceRecordSetsCommand({
        HostedZoneId: await zoneId(zone),
        ChangeBatch: { Changes: records.map((record) => ({ Action: action, ResourceRecordSet: 'Name' in record ? record : recordSet(record) })) },
      }),
    );
  };
};

/** The records by which SES verifies a domain. */
export const dkimRecords = (domain: string, tokens: readonly string[]): PublishedRecord[] =>
  tokens.map((token) => [`${token}._domainkey.${domain}`, 'CNAME', `${token}.dkim.amazonses.com`]);
