import { S3Client } from '@aws-sdk/client-s3';
import { customResource } from '../../../core/runtime/custom-resource.ts';
import { empty } from './empty.ts';

export const handler = customResource('empty-bucket', empty(new S3Client()));
