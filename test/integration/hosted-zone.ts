import { randomUUID } from 'node:crypto';
import {
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  DeleteHostedZoneCommand,
  ListResourceRecordSetsCommand,
  type Change,
  type Route53Client,
  type ResourceRecordSet,
  type RRType,
} from '@aws-sdk/client-route-53';

/** A record that was not written by Postrider. The default name is that of the zone. */
type ForeignRecord = { readonly name?: string; readonly type: RRType; readonly value: string };

export type HostedZone = {
  /** The values of a record set; undefined when it does not exist. */
  values(record: string, type: string): Promise<string[] | undefined>;
  addForeign(record: ForeignRecord): Promise<void>;
  removeForeign(record: ForeignRecord): Promise<void>;
  /** Removes the zone with its records. */
  remove(): Promise<void>;
};

/** Creates a hosted zone with records of other services. */
export const createHostedZone = async (client: Route53Client, name: string, foreign: readonly ForeignRecord[]): Promise<HostedZone> => {
  const { HostedZone: zone } = await client.send(new CreateHostedZoneCommand({ Name: name, CallerReference: randomUUID() }));
  const change = async (changes: Change[]): Promise<void> => {
    if (changes.length > 0) await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: zone?.Id, ChangeBatch: { Changes: changes } }));
  };
  const foreignSet = ({ name: recordName = name, type, value }: ForeignRecord): ResourceRecordSet => ({
    Name: recordName,
    Type: type,
    TTL: 300,
    ResourceRecords: [{ Value: value }],
  });
  const addForeign = (record: ForeignRecord): Promise<void> => change([{ Action: 'CREATE', ResourceRecordSet: foreignSet(record) }]);
  const recordSets = async (): Promise<ResourceRecordSet[]> =>
    (await client.send(new ListResourceRecordSetsCommand({ HostedZoneId: zone?.Id }))).ResourceRecordSets ?? [];
  for (const record of foreign) await addForeign(record);
  return {
    async values(record, type) {
      return (await recordSets()).find((set) => set.Name === `${record}.` && set.Type === type)?.ResourceRecords?.map(({ Value = '' }) => Value);
    },
    addForeign,
    removeForeign: (record) => change([{ Action: 'DELETE', ResourceRecordSet: foreignSet(record) }]),
    async remove() {
      const sets = (await recordSets()).filter(({ Type: type }) => type !== 'SOA' && type !== 'NS');
      await change(sets.map((set) => ({ Action: 'DELETE', ResourceRecordSet: set })));
      await client.send(new DeleteHostedZoneCommand({ Id: zone?.Id }));
    },
  };
};
