package io.seckill.launcher.load;

import io.seckill.common.error.ErrorCode;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What the buyers of one lane were answered; the parts of a {@link CrowdRecord}.
 *
 * @param times microseconds
 * @param firstSendNs {@link System#nanoTime}; {@link Long#MAX_VALUE} when nothing was sent
 * @param lastAnswerNs the same clock; {@link Long#MIN_VALUE} when nothing was answered
 */
record LaneRecord(
    long requests,
    List<AnsweredWin> wins,
    long replayed,
    Map<ErrorCode, Long> refused,
    long failed,
    List<CrowdRecord.Shortage> shortages,
    CrowdErrors errors,
    Histogram times,
    long firstSendNs,
    long lastAnswerNs) {}
