import { GetConfigurationSetCommand, GetConfigurationSetEventDestinationsCommand, type EventType, type SESv2Client } from '@aws-sdk/client-sesv2';
import { nameOf } from '../../../../contract/values/thrown.ts';
import { badRequest, notFound } from '../message/ses-error.ts';
import type { SuppressionReason } from './suppression-list.ts';

/** The settings of a configuration set. The sets are stored in the emulator. */
export type ConfigurationSet = {
  readonly name: string;
  readonly sendingEnabled: boolean;
  /** Reasons that override those of the account. */
  readonly suppressedReasons?: readonly SuppressionReason[];
  readonly topics: readonly { readonly topicArn: string; readonly eventTypes: readonly EventType[] }[];
};

export type ConfigurationSets = {
  /** @throws SesError NotFoundException */
  get(name: string): Promise<ConfigurationSet>;
};

export const configurationSetsFrom = (emulator: SESv2Client): ConfigurationSets => ({
  async get(name) {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw badRequest(`Configuration set name <${name}> is not valid.`);
    try {
      const [set, { EventDestinations }] = await Promise.all([
        emulator.send(new GetConfigurationSetCommand({ ConfigurationSetName: name })),
        emulator.send(new GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: name })),
      ]);
      const topics = (EventDestinations ?? []).flatMap(({ Enabled, SnsDestination, MatchingEventTypes }) =>
        Enabled && SnsDestination?.TopicArn ? [{ topicArn: SnsDestination.TopicArn, eventTypes: MatchingEventTypes ?? [] }] : [],
      );
      return { name, topics, sendingEnabled: set.SendingOptions?.SendingEnabled ?? true, suppressedReasons: set.SuppressionOptions?.SuppressedReasons };
    } catch (error) {
      if (nameOf(error) === 'NotFoundException') throw notFound(`Configuration set <${name}> does not exist.`);
      throw error;
    }
  },
});
