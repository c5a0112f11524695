import { chartLine, metricTotal, newestTotal } from '../../../../console/parts/charts/metric-series.ts';
import { response, series } from '../../metric-fixtures.ts';

describe('series of metrics', () => {
  test('are added up over time and over resources', () => {
    expect(metricTotal(response(series('API_ERRORS', [1, 2], 'jmap'), series('API_ERRORS', [4], 'admin'), series('MAIL_SENT', [9])), 'API_ERRORS')).toBe(7);
  });

  test('have no newest total while one of them is unknown', () => {
    const known = series('QUEUE_WAITING', [5, 2], 'one');
    expect(newestTotal(response(known, series('QUEUE_WAITING', [1], 'two')), 'QUEUE_WAITING')).toBe(3);
    expect(newestTotal(response(known, series('QUEUE_WAITING', [], 'two')), 'QUEUE_WAITING')).toBeUndefined();
  });

  test('are drawn over the period for a single value, and not at all without values', () => {
    const [begin, end] = [new Date('2026-11-21T12:00:00.000Z'), new Date('2026-11-21T12:01:00.000Z')];
    expect(chartLine('Rate', series('BOUNCE_RATE', [0.1]), 60)).toEqual({
      title: 'Rate',
      points: [
        { x: begin, y: 0.1 },
        { x: end, y: 0.1 },
      ],
    });
    expect(chartLine('Rate', series('BOUNCE_RATE', []), 60).points).toEqual([]);
    expect(chartLine('Mail', series('MAIL_SENT', [1, 2]), 60).points).toEqual([
      { x: begin, y: 1 },
      { x: end, y: 2 },
    ]);
  });
});
