import { SESClient } from '@aws-sdk/client-ses';
import { customResource } from '../../../core/runtime/custom-resource.ts';
import { activate } from './activate.ts';

export const handler = customResource('receipt-rule-set', activate(new SESClient()));
